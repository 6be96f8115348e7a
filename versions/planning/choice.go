package planning

// ChoiceKind is a kind of decision about a memory of a plan.
type ChoiceKind uint8

const (
	Undecided  ChoiceKind = iota
	Skip                  // leave the memory as it is; its changes don't count as undone
	KeepOurs              // in a conflict, keep the current text
	TakeTheirs            // in a conflict, take the earlier text
	OwnText               // write a text that the person supplies
	SomeHits              // for a replacement, replace all hits except those of Except
)

// Choice is one decision about a memory of a plan.
type Choice struct {
	Kind   ChoiceKind
	Text   []byte // for OwnText
	Except []int  // for SomeHits: the numbers, from 0, of the hits that stay
}

// Decide applies a decision to the memory. If the decision needs a content that is missing, the
// conflict remains. SomeHits is the caller's to apply.
func (m *Memory) Decide(c Choice, read Reader) error {
	taken := m.Clash == ClashTaken
	switch {
	case c.Kind == Skip:
		m.Skipped, m.Clash = true, ClashNone
		return nil
	case c.Kind == OwnText && m.Clash == ClashNone && m.Want.Live():
		m.Want = WithText(m.Want.Path, c.Text)
		return nil
	case c.Kind == Undecided, m.Clash == ClashNone:
		return nil
	case c.Kind == OwnText:
		return m.takeText(c.Text, taken, read)
	case c.Kind == KeepOurs && taken: // it stays at its path and gets the requested content
		m.stay()
		return nil
	case c.Kind == KeepOurs:
		return m.resolve(ours, read)
	}
	return m.resolve(theirs, read)
}

// stay keeps a memory at its current path because its new path is occupied.
func (m *Memory) stay() {
	m.Clash = ClashNone
	if m.Now.Live() {
		m.Want.Path = m.Now.Path
	} else {
		m.Want = State{}
	}
}

// takeText gives a memory the text that the person supplied, at its current path or, if it has
// none, at the path where it would come back.
func (m *Memory) takeText(text []byte, taken bool, read Reader) error {
	if taken {
		m.stay()
	} else if err := m.resolve(ours, read); err != nil {
		return err
	} else if !m.Want.Live() {
		if err := m.resolve(theirs, read); err != nil {
			return err
		}
	}
	if m.Clash != ClashNone || !m.Want.Live() {
		m.Clash = ClashTaken // it has no free path
		return nil
	}
	if text == nil {
		text = []byte{}
	}
	m.Want = WithText(m.Want.Path, text)
	return nil
}
