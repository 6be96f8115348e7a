// Package theme holds the colours and the styles, named by their roles.
//
// A Style is a pair of SGR sequences made once, so that a frame is built by appending
// strings and never by rendering, which costs fifty times as much. A theme is immutable; to
// change the look, use another theme.
//
// Colour is never the only difference: an added line also has a sign, and the monochrome
// theme uses bold, underline and reverse instead of colours.
package theme

// Colors is the number of colours of the terminal.
type Colors int

const (
	Many    Colors = iota // true colour
	Some                  // 256
	Sixteen               // the basic set
	Mono                  // none, as with NO_COLOR
)

// Style is written before and after a text. Off is Reset, or empty if there is nothing to
// end.
type Style struct {
	On, Off string
	ASCII   bool // draw signs with ASCII characters, like lines
}

// Append draws s, which must be safe to draw, in the style.
func (s Style) Append(dst []byte, text string) []byte {
	dst = append(dst, s.On...)
	dst = append(dst, s.Signs(text)...)
	return append(dst, s.Off...)
}

// Theme holds every style by its role.
type Theme struct {
	Name   string
	Dark   bool // made for a dark background
	Colors Colors
	Lines  Lines

	// Frame.
	Text          Style // ordinary text: the terminal's default
	Dim           Style // secondary text
	Border        Style // of a pane
	BorderFocused Style // of the pane with the focus
	Title         Style
	TitleFocused  Style
	Status        Style // the status line
	StatusStrong  Style // emphasized text in it
	StatusWarn    Style // warnings in it
	HintKey       Style // a key in the hints
	Hint          Style // what the key does
	Toast         Style // a message
	ToastError    Style
	Input         Style // typed text in a prompt
	Cursor        Style // a text cursor that is drawn by the program
	DialogBorder  Style
	TableHeading  Style // over columns
	Gauge         Style // the filled part of a gauge
	Progress      Style // the same for work in progress

	// Lists and the tree.
	Selected    Style // the row of the cursor
	SelectedDim Style // the same in a pane without focus
	Marked      Style // selected rows
	Folder      Style
	Changed     Style    // mark of an unreviewed change
	Badge       Style    // mark of a warning, such as hidden characters
	Stale       Style    // mark of a memory that was not read for long
	Finding     Style    // mark of a secret or another finding of the guard
	Heat        [4]Style // how many of an agent's tokens it takes, few first
	Match       Style    // search hits
	MatchNow    Style    // the current search hit

	// Text of memories.
	LineNumber    Style
	LineNumberNow Style
	Selection     Style // selected text
	Flash         Style // a line that has just changed
	HiddenChar    Style // marks for invisible characters
	Heading       Style
	Strong        Style
	Emphasis      Style
	Code          Style
	Link          Style
	Quote         Style
	ListMark      Style
	Key           Style // a key in JSON or YAML
	String        Style
	Number        Style
	Keyword       Style
	Comment       Style

	// Changes.
	Added       Style // signs and counts
	Removed     Style
	Deleted     Style
	AddedLine   Style // a whole line
	RemovedLine Style
	AddedWord   Style // the words that differ in it
	RemovedWord Style
	Hunk        Style // a heading between hunks
	Warn        Style
	Error       Style
	Good        Style
	Age         [4]Style // of a line in the blame, the newest first
	Band        [6]Style // neighbouring sessions in the timeline

	// The merge of two texts.
	Ours     Style // lines of one side
	Theirs   Style // of the other
	Base     Style // of the common base
	Result   Style // of the result
	Conflict Style // mark of an undecided conflict

	person, agent, apiKey, outside Style
}

// Actor returns the style of a kind of actor: "person", "agent", "api_key", "outside".
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
