package talk

import (
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
)

// kind is the kind of a block of the transcript.
type kind uint8

const (
	promptItem kind = iota
	textItem
	thinkingItem
	callItem
	noteItem    // about the session, a turn, or the context
	compactItem // a compaction
)

// tone is the importance of a note.
type tone uint8

const (
	normal    tone = iota
	important      // worth reading
	edited         // the model's context was changed
	problem
)

// item is a block of the transcript. It is open while it is streamed.
type item struct {
	kind kind
	turn int
	seq  int64 // of its first event
	open bool

	body *flow // its text; a call has its result here, a compaction its summary
	fold fold
	call *call
	note string
	hint string // what the user can do
	tone tone

	sum     agent.Compacted
	inReply bool // the summary is a part of the turn's reply

	retry   time.Time // when the turn is retried
	retried bool
	tries   int // attempts with the same error
}

// call is a call of a tool.
type call struct {
	id      string
	tool    string
	input   []byte // as far as it was received
	command string
	path    string
	from    string // the old path of a rename
	running bool   // it is being executed
	done    bool   // it has a result
	failed  bool
	held    int64 // the number under which it waits for a person; 0 if it does not
	store   versions.StoreID
	change  int64
	plus    int // lines, as far as known
	minus   int
	diff    *inline // what it changed; nil until it is loaded
	asked   bool    // the diff was requested
}

// fold is how much of a block is visible.
type fold uint8

const (
	brief fold = iota // a row, and the first rows of its diff
	shut              // a row
	open              // everything
)

// close ends the streaming of the item.
func (it *item) close() {
	it.open = false
	if it.body != nil {
		it.body.open = false
	}
}

// folds reports whether folding hides something of the item.
func (it *item) folds() bool {
	switch it.kind {
	case thinkingItem, callItem, compactItem:
		return it.body != nil && it.body.bytes > 0 || it.call != nil && it.call.change > 0
	}
	return false
}

// size returns the approximate memory of an item in bytes.
func (it *item) size() int {
	n := 256 + len(it.note) + len(it.hint)
	if it.body != nil {
		n += 2 * it.body.bytes
	}
	if it.call != nil {
		n += len(it.call.input)
	}
	return n
}

func anyBlock(*item) bool  { return true }
func isCall(it *item) bool { return it.kind == callItem }

// heights is the layout of an item's rows, from the top.
type heights struct {
	head, diff, body int // rows of each
}

func (p heights) all() int { return p.head + p.diff + p.body }

// layOut computes the layout of an item's rows.
func (it *item) layOut(w int) (p heights) {
	switch it.kind {
	case promptItem, textItem:
		it.body.layOut(w - indent(w))
		p.body = max(it.body.height(), 1)
		return p
	case noteItem:
		p.head = len(it.noteRows(w - indent(w)))
		return p
	}
	p.head = 1
	if it.call != nil && it.call.diff != nil && it.fold != shut {
		p.diff = it.call.diff.height(it.fold, w-2*indent(w))
	}
	if it.fold == open && it.body != nil && it.body.bytes > 0 {
		it.body.layOut(w - 2*indent(w))
		p.body = it.body.height()
	}
	return p
}

// dense reports whether an item is one row below another of its kind, which needs no gap above
// it.
func dense(above, it *item) bool {
	if above.kind == noteItem && it.kind == noteItem && above.tone == edited && it.tone == edited {
		return true
	}
	return above.kind == callItem && it.kind == callItem && above.fold != open && it.fold != open &&
		(above.call.diff == nil || above.fold == shut)
}

// indent returns how many columns are before the text of a block.
func indent(w int) int {
	if w < 24 {
		return 2
	}
	return 3
}
