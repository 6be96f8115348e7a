package memory

import (
	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/syntax"
	"github.com/memtrail/memtrail/versions"
)

// document is an open file as the memory pane shows it. The command that opens
// it makes it; after that the pane owns it.
type document struct {
	path   memfs.Path
	file   versions.File
	size   int64
	index  lineIndex
	window window
	whole  bool // the window holds every line

	lang   syntax.Language
	states []syntax.State // of each line, when whole
	hidden int            // characters that would not show, when whole
	binary bool           // not UTF-8, as far as it was looked at
	text   []byte         // when whole
	marks  lineMarks      // what is different from the reading before
	shift  func(line int) int
	why    string // why nothing is shown: a FIFO, no permission
}

// lineMarks are the lines that a change has touched, as ranges from 0.
type lineMarks []versions.Edit

// at says whether line was added or changed, or stands after removed lines.
func (m lineMarks) at(line int) (changed, gap bool) {
	for _, e := range m {
		if line >= e.New && line < e.New+e.NewLines {
			return true, false
		}
		if e.NewLines == 0 && line == e.New {
			return false, true
		}
		if e.New > line {
			break
		}
	}
	return false, false
}
