package talk

import (
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
)

// kind is what a block of the transcript is.
type kind uint8

const (
	promptItem kind = iota
	textItem
	thinkingItem
	callItem
	noteItem    // what became of the session, a turn, or the context
	compactItem // one compaction
)

// tone is how much a note matters.
type tone uint8

const (
	quiet  tone = iota
	worth       // knowing
	edited      // what the model sees was changed
	wrong
)

// item is a block of the transcript. Those that stream are open.
type item struct {
	kind kind
	time time.Time
	turn int
	seq  int64 // of the event that it began with
	at   int   // of the block in its reply
	open bool

	body *flow // its text: of a call, the result; of a compaction, the summary
	fold fold
	call *call
	note string
	hint string // what one can do about it
	tone tone

	sum     agent.Compacted
	inReply bool // the summary stands in the turn's reply

	retry   time.Time // when a turn is tried again
	retried bool
	tries   int // that ended alike
}

// call is a call of a tool.
type call struct {
	id      string
	tool    string
	input   []byte // as far as it came
	command string
	path    string
	from    string // of a rename: the path before
	running bool   // it is being carried out
	done    bool   // the result is there
	failed  bool
	store   versions.StoreID
	change  int64
	plus    int // lines, as far as that was told
	minus   int
	diff    *inline // what it changed; nil until it was asked for
	asked   bool    // for the diff
}

// fold is how much of a block shows.
type fold uint8

const (
	brief fold = iota // a row, and the beginning of what it changed
	shut              // a row
	open              // all
)

// folds reports whether there is something that folding hides.
func (it *item) folds() bool {
	switch it.kind {
	case thinkingItem, callItem, compactItem:
		return it.body != nil && it.body.bytes > 0 || it.call != nil && it.call.change > 0
	}
	return false
}

// size is about how many bytes are held for it.
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

// places is how the rows of an item are divided, from the top.
type places struct {
	head, diff, body int // rows of each
}

func (p places) all() int { return p.head + p.diff + p.body }

// lay divides the rows of an item.
func (it *item) lay(w int) (p places) {
	switch it.kind {
	case promptItem, textItem:
		it.body.lay(w - indent(w))
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
		it.body.lay(w - 2*indent(w))
		p.body = it.body.height()
	}
	return p
}

// dense reports whether an item is one row among others of its kind, which needs no
// room above it.
func dense(above, it *item) bool {
	if above.kind == noteItem && it.kind == noteItem && above.tone == edited && it.tone == edited {
		return true
	}
	return above.kind == callItem && it.kind == callItem && above.fold != open && it.fold != open &&
		(above.call.diff == nil || above.fold == shut)
}

// indent is how many columns stand before the text of a block.
func indent(w int) int {
	if w < 24 {
		return 2
	}
	return 3
}
