package versions

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
)

// favor is the side that wins a conflict.
type favor uint8

const (
	favorNone favor = iota // report a conflict
	favorOurs
	favorTheirs
)

// resolve computes what happens to a memory. With a favor it decides a conflict; if a
// content it needs is missing, the conflict remains.
func (p *planner) resolve(it *planned, f favor) error {
	it.clash, it.merge, it.later = ClashNone, nil, 0
	if p.replacer != nil {
		return p.replaceIn(it, nil)
	}
	if len(it.stretches) == 0 {
		it.want = it.then
		if it.then.redacted {
			it.clash = ClashRedacted
			if f == favorOurs {
				it.want, it.clash = it.now, ClashNone
			}
		}
		return nil
	}
	it.want = it.now
	for _, s := range it.stretches {
		want, clash, err := p.revert(it, it.want, s, f)
		if err != nil {
			return err
		}
		if clash != ClashNone {
			it.clash = clash
			it.later, err = newestChange(p.q, it.memory)
			return err
		}
		it.want = want
	}
	return nil
}

// revert returns what now becomes if the step from s.before to s.after is undone. It
// undoes path and content separately, so undoing a rename keeps a later edit.
func (p *planner) revert(it *planned, now place, s run, f favor) (place, Clash, error) {
	before, after := s.before, s.after
	switch {
	case !before.live() && !after.live():
		return now, ClashNone, nil
	case !before.live():
		if !now.live() || now.same(after) {
			return place{}, ClashNone, nil
		}
		return decide(f, ClashEdited, now, place{})
	case !after.live():
		if now.same(before) {
			return now, ClashNone, nil
		}
		switch {
		case before.redacted:
			return decide(f, ClashRedacted, now, before)
		case !now.live():
			return before, ClashNone, nil
		}
		return decide(f, ClashRevived, now, before)
	case !now.live():
		if before.same(after) {
			return now, ClashNone, nil
		}
		return decide(f, ClashDeleted, now, before)
	}
	path, clash := pathBack(now.path, before, after, f)
	if clash != ClashNone {
		return now, clash, nil
	}
	want, clash, err := p.contentBack(it, now, before, after, f)
	want.path = path
	return want, clash, err
}

// decide resolves a conflict by a favor, if that side has a content.
func decide(f favor, clash Clash, ours, theirs place) (place, Clash, error) {
	switch {
	case f == favorOurs:
		return ours, ClashNone, nil
	case f == favorTheirs && theirs.redacted:
		return ours, ClashRedacted, nil
	case f == favorTheirs:
		return theirs, ClashNone, nil
	}
	return ours, clash, nil
}

func pathBack(now memfs.Path, before, after place, f favor) (memfs.Path, Clash) {
	switch {
	case before.redacted || after.redacted:
		// The redacted version's path is erased too. If one side's path is known and equals the
		// current one, the memory need not move.
		if !before.redacted && before.path == now || !after.redacted && after.path == now || f == favorOurs {
			return now, ClashNone
		}
		if f == favorTheirs && !before.redacted {
			return before.path, ClashNone
		}
		return now, ClashRedacted
	case before.path == after.path, now == before.path, f == favorOurs && now != after.path:
		return now, ClashNone
	case now == after.path, f == favorTheirs:
		return before.path, ClashNone
	}
	return now, ClashPath
}

func (p *planner) contentBack(it *planned, now, before, after place, f favor) (place, Clash, error) {
	switch {
	case !before.redacted && (before.sha == now.sha || before.sha == after.sha):
		return now, ClashNone, nil
	case !before.redacted && !after.redacted && now.sha == after.sha:
		return before, ClashNone, nil
	case before.redacted || after.redacted:
		return decide(f, ClashRedacted, now, before)
	}
	m, err := p.merge(after, now, before)
	if err != nil {
		return now, ClashNone, err
	}
	it.merge = m
	text := m.Text()
	switch {
	case f == favorOurs:
		text = m.Favor(diff.MergeOurs)
	case f == favorTheirs:
		text = m.Favor(diff.MergeTheirs)
	case !m.Clean():
		return now, ClashText, nil
	}
	made := place{text: text, sha: sum(text), size: int64(len(text))}
	for _, known := range []place{now, before} {
		if known.sha == made.sha {
			return known, ClashNone, nil
		}
	}
	return made, ClashNone, nil
}

func (p *planner) merge(base, ours, theirs place) (*diff.Merged, error) {
	var texts [3][]byte
	for i, side := range []place{base, ours, theirs} {
		var err error
		if texts[i], err = side.content(p.q); err != nil {
			return nil, err
		}
	}
	return diff.Merge(texts[0], texts[1], texts[2]), nil
}
