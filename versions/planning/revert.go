package planning

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
)

// side is the side that wins a conflict.
type side uint8

const (
	neither side = iota // report a conflict
	ours
	theirs
)

// Resolve computes what happens to the memory: Want and Merge, or Clash.
func (m *Memory) Resolve(read Reader) error { return m.resolve(neither, read) }

// resolve lets a side win each conflict. If a content it needs is missing, the conflict remains.
func (m *Memory) resolve(wins side, read Reader) error {
	m.Clash, m.Merge = ClashNone, nil
	if len(m.Runs) == 0 {
		m.Want = m.Then
		if m.Then.Redacted {
			m.Clash = ClashRedacted
			if wins == ours {
				m.Want, m.Clash = m.Now, ClashNone
			}
		}
		return nil
	}
	m.Want = m.Now
	for _, r := range m.Runs {
		want, clash, err := m.revert(m.Want, r, wins, read)
		if err != nil {
			return err
		}
		if clash != ClashNone {
			m.Clash = clash
			return nil
		}
		m.Want = want
	}
	return nil
}

// revert returns what now becomes if the step from r.Before to r.After is undone. It undoes path and
// content separately, so undoing a rename keeps a later edit.
func (m *Memory) revert(now State, r Run, wins side, read Reader) (State, Clash, error) {
	before, after := r.Before, r.After
	switch {
	case !before.Live() && !after.Live():
		return now, ClashNone, nil
	case !before.Live():
		if !now.Live() || now.Is(after) {
			return State{}, ClashNone, nil
		}
		return decide(wins, ClashEdited, now, State{})
	case !after.Live():
		if now.Is(before) {
			return now, ClashNone, nil
		}
		switch {
		case before.Redacted:
			return decide(wins, ClashRedacted, now, before)
		case !now.Live():
			return before, ClashNone, nil
		}
		var err error
		if m.Merge, err = merge(State{}, now, before, read); err != nil { // neither text comes from the other
			return now, ClashNone, err
		}
		return decide(wins, ClashRevived, now, before)
	case !now.Live():
		if before.Is(after) {
			return now, ClashNone, nil
		}
		return decide(wins, ClashDeleted, now, before)
	}
	path, clash := revertPath(now.Path, before, after, wins)
	if clash != ClashNone {
		return now, clash, nil
	}
	want, clash, err := m.revertContent(now, before, after, wins, read)
	return want.At(path), clash, err
}

// decide lets a side win a conflict, if that side has a content.
func decide(wins side, clash Clash, mine, other State) (State, Clash, error) {
	switch {
	case wins == ours:
		return mine, ClashNone, nil
	case wins == theirs && other.Redacted:
		return mine, ClashRedacted, nil
	case wins == theirs:
		return other, ClashNone, nil
	}
	return mine, clash, nil
}

func revertPath(now memfs.Path, before, after State, wins side) (memfs.Path, Clash) {
	switch {
	case before.Redacted || after.Redacted:
		// The redacted version's path is erased too. If one side's path is known and equals the
		// current one, the memory need not move.
		if !before.Redacted && before.Path == now || !after.Redacted && after.Path == now || wins == ours {
			return now, ClashNone
		}
		if wins == theirs && !before.Redacted {
			return before.Path, ClashNone
		}
		return now, ClashRedacted
	case before.Path == after.Path, now == before.Path, wins == ours && now != after.Path:
		return now, ClashNone
	case now == after.Path, wins == theirs:
		return before.Path, ClashNone
	}
	return now, ClashPath
}

func (m *Memory) revertContent(now, before, after State, wins side, read Reader) (State, Clash, error) {
	switch {
	case !before.Redacted && (before.SHA256 == now.SHA256 || before.SHA256 == after.SHA256):
		return now, ClashNone, nil
	case !before.Redacted && !after.Redacted && now.SHA256 == after.SHA256:
		return before, ClashNone, nil
	case before.Redacted || after.Redacted:
		return decide(wins, ClashRedacted, now, before)
	}
	merged, err := merge(after, now, before, read)
	if err != nil {
		return now, ClashNone, err
	}
	m.Merge = merged
	text := merged.Text()
	switch {
	case wins == ours:
		text = merged.Favor(diff.MergeOurs)
	case wins == theirs:
		text = merged.Favor(diff.MergeTheirs)
	case !merged.Clean():
		return now, ClashText, nil
	}
	made := WithText(now.Path, text)
	for _, known := range []State{now, before} {
		if known.SHA256 == made.SHA256 {
			return known, ClashNone, nil
		}
	}
	return made, ClashNone, nil
}

func merge(base, mine, other State, read Reader) (*diff.Merged, error) {
	var texts [3][]byte
	for i, s := range []State{base, mine, other} {
		var err error
		if texts[i], err = read(s); err != nil {
			return nil, err
		}
	}
	return diff.Merge(texts[0], texts[1], texts[2]), nil
}
