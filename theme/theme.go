// Package theme holds the colours and the styles, named by what they are for.
//
// A Style is a pair of SGR sequences made once, so that a frame is built by
// appending strings and never by rendering: that costs a fiftieth. A theme is
// immutable; a change of look is another theme.
//
// Colour never carries a meaning alone: whoever draws an added line also draws
// its sign, and in the monochrome theme bold, underline and reverse do what
// colours do elsewhere.
package theme

// Colors is how many colours the terminal has.
type Colors int

const (
	Many    Colors = iota // all
	Some                  // 256
	Sixteen               // the basic set
	Mono                  // none, as NO_COLOR asks
)

// Style is what is written before and after a text. Off is Reset, or empty when
// there is nothing to end.
type Style struct {
	On, Off string
	ASCII   bool // signs of ours are drawn with ASCII characters, as lines are
}

// Append draws s, which must be safe to draw, in the style.
func (s Style) Append(dst []byte, text string) []byte {
	dst = append(dst, s.On...)
	dst = append(dst, s.Signs(text)...)
	return append(dst, s.Off...)
}

// Theme is every style by its role.
type Theme struct {
	Name   string
	Dark   bool // made for a dark background
	Colors Colors
	Lines  Lines

	// Frame.
	Text          Style // ordinary text: the terminal's own
	Dim           Style // what can be overlooked
	Border        Style // of a pane
	BorderFocused Style // of the pane that has the keys
	Title         Style
	TitleFocused  Style
	Status        Style // the status line
	StatusStrong  Style // what matters in it
	StatusWarn    Style // what is wrong, in it
	HintKey       Style // a key in the hints
	Hint          Style // what it does
	Toast         Style // a message
	ToastError    Style
	Input         Style // what is typed into a prompt
	Cursor        Style // the cell of a text cursor that is drawn, not the terminal's
	DialogBorder  Style
	TableHeading  Style // over columns
	Gauge         Style // the part of a gauge that is filled
	Progress      Style // the same of work under way

	// Lists and the tree.
	Selected    Style // the row of the cursor
	SelectedDim Style // the same in a pane without focus
	Marked      Style // rows chosen together
	Folder      Style
	Changed     Style    // mark of what changed and was not looked at
	Badge       Style    // mark of what deserves a look, hidden characters say
	Pinned      Style    // mark of what always stays in sight
	Stale       Style    // mark of what nobody has read for long
	Finding     Style    // mark of a secret or another finding of the guard
	Heat        [4]Style // how much of an agent's tokens it takes, little first
	Match       Style    // text that was found
	MatchNow    Style    // the hit where the search stands

	// Text of memories.
	LineNumber    Style
	LineNumberNow Style
	Selection     Style // selected text
	Flash         Style // a line that has just changed
	HiddenChar    Style // what stands for a character that would not show
	Heading       Style
	Strong        Style
	Emphasis      Style
	Code          Style
	Link          Style
	Quote         Style
	ListMark      Style
	Key           Style // a key of JSON or YAML
	String        Style
	Number        Style
	Keyword       Style
	Comment       Style

	// Changes.
	Added       Style // signs and counts
	Removed     Style
	AddedLine   Style // a whole line
	RemovedLine Style
	AddedWord   Style // the words that differ within it
	RemovedWord Style
	Moved       Style // sign of a line that stands elsewhere now
	MovedLine   Style
	Hunk        Style // a heading between hunks
	Warn        Style
	Error       Style
	Good        Style
	Age         [4]Style // of a line in the blame, the newest first
	Band        [6]Style // sessions beside each other on a time line

	// The merge of two texts.
	Ours     Style // lines of one side
	Theirs   Style // of the other
	Base     Style // of what both began with
	Result   Style // of what is to be kept
	Conflict Style // mark of what nobody has decided

	person, agent, apiKey, outside Style
}

// Actor is the style of a kind of actor: "person", "agent", "api_key", "outside".
func (t *Theme) Actor(kind string) Style {
	switch kind {
	case "person":
		return t.person
	case "agent":
		return t.agent
	case "api_key":
		return t.apiKey
	case "outside":
		return t.outside
	}
	return t.Dim
}
