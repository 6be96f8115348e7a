package cli

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
)

// A digest fits a screen: so many rows and sessions are in it, and it names the commands that list the rest.
const (
	maxDecisions = 8
	maxSessions  = 6
	maxEffects   = 18 // of all sessions together
	minEffects   = 3  // of each
)

// maxDigested is how many versions of a store are read for a digest.
const maxDigested = 20_000

// digest is what agents did to a store since a time, and what needs a decision, whenever it was made.
type digest struct {
	since    time.Time
	held     []versions.Held   // as review.SortHeld puts them
	written  []*review.Written // what nobody reviewed, the greatest risk first, whoever wrote it
	waiting  int               // how many decisions are needed: of what nobody reviewed, only the newest is read
	sessions []*sessionDigest
	undone   int  // changes
	readers  int  // sessions that only read
	cut      bool // earlier versions were not read
}

// sessionDigest is what one session did to memories, or somebody without one.
type sessionDigest struct {
	*review.Act
	prompt                      string // the first one; empty if it is unknown
	learned, changed, forgotten []*review.Written
}

// count returns how many memories it learned, changed and forgot.
func (d *sessionDigest) count() int { return len(d.learned) + len(d.changed) + len(d.forgotten) }

// shownDecisions returns those that fit.
func (d *digest) shownDecisions() ([]versions.Held, []*review.Written) {
	held := d.held[:min(len(d.held), maxDecisions)]
	return held, d.written[:min(len(d.written), maxDecisions-len(held))]
}

// empty reports whether nothing happened and nothing waits.
func (d *digest) empty() bool {
	return d.waiting == 0 && len(d.sessions) == 0 && d.undone == 0 && d.readers == 0
}

// shownSessions returns the sessions that fit, and how many effects of each do.
func (d *digest) shownSessions() ([]*sessionDigest, int) {
	shown := d.sessions[:min(len(d.sessions), maxSessions)]
	return shown, max(minEffects, maxEffects/max(1, len(shown)))
}

// readDigest reads the digest of a store, or of what one session did in it.
func readDigest(ctx context.Context, s *engine.Store, since time.Time, session versions.SessionID) (d digest, live map[versions.MemoryID]versions.Entry, err error) {
	if session, err = homeSession(ctx, s.Trail, session); err != nil {
		return d, nil, err
	}
	d.since = since
	if d.held, err = review.Held(ctx, s, versions.HeldFilter{State: versions.HeldWaiting, Session: session}); err != nil {
		return d, nil, err
	}
	review.SortHeld(d.held)
	all, made, err := unreviewedOf(ctx, s, session)
	if err != nil {
		return d, nil, err
	}
	acts, err := review.Weighed(ctx, s, me(), made, session)
	if err != nil {
		return d, nil, err
	}
	for _, a := range acts {
		d.written = append(d.written, a.Memories...)
	}
	if d.waiting = len(d.held) + len(d.written); session == "" {
		d.waiting = len(d.held) + len(all.memories)
	}
	slices.SortStableFunc(d.written, func(a, b *review.Written) int { return cmp.Compare(b.Risk, a.Risk) })
	live = map[versions.MemoryID]versions.Entry{}
	for _, e := range all.entries {
		if e.Kind == versions.Memory {
			live[e.Memory] = e
		}
	}
	change, err := history.ChangesUntil(ctx, s, since.Add(-time.Microsecond))
	if err != nil {
		return d, nil, err
	}
	if made, err = review.MadeSince(ctx, s, change, maxDigested); err != nil {
		return d, nil, err
	}
	d.cut = len(made) == maxDigested
	back := newReverts(ctx, s, made, live)
	if d.sessions, err = sessionsOf(made, back, session); err != nil || session != "" {
		return d, live, err
	}
	if d.undone, err = review.UndoneSince(ctx, s, change); err != nil {
		return d, nil, err
	}
	d.undone += len(back.undone)
	d.readers, err = review.ReadersSince(ctx, s, since, change)
	return d, live, err
}

// sessionsOf says what sessions did, newest first. What did not last is left out: a memory that is gone was forgotten, by the
// session that deleted it, unless it had come with that session; and one that is there was not. Nor is one in it that is again what it was before.
func sessionsOf(made []versions.Version, back *reverts, only versions.SessionID) (out []*sessionDigest, err error) {
	for _, a := range review.ActsEach(made) {
		if only != "" && a.Session != only {
			continue
		}
		d := &sessionDigest{Act: a}
		for _, m := range a.Memories {
			_, there := back.live[m.Last().Memory]
			if reverted, err := back.reverted(m); err != nil {
				return nil, err
			} else if reverted {
				continue
			}
			switch created, deleted := m.First().Operation == versions.Created, m.Last().Operation == versions.Deleted; {
			case there && !deleted && created:
				d.learned = append(d.learned, m)
			case there && !deleted:
				d.changed = append(d.changed, m)
			case !there && deleted && !created:
				d.forgotten = append(d.forgotten, m)
			}
		}
		if d.count() > 0 {
			out = append(out, d)
		}
	}
	return out, nil
}

// readPrompts reads what the sessions were asked first.
func readPrompts(t *engine.Trail, sessions []*sessionDigest) {
	for _, d := range sessions {
		if d.Session != "" {
			d.prompt = string(masked("", []byte(cmp.Or(agents.Prompt(t.Conversations(), d.Session), promptElsewhere(d.Session)))))
		}
	}
}

// digestFlags are the flags of review that ask for a digest.
type digestFlags struct {
	since, format string
	from          time.Time
}

func (f *digestFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "print a digest of what agents did from this `TIME` on")
	cmd.Flags().StringVar(&f.format, "format", textFormat, "with --since: `FORMAT` is text or md, which is Markdown")
	complete(cmd, "format", cobra.FixedCompletions([]string{textFormat, markdownFormat}, cobra.ShellCompDirectiveNoFileComp))
}

// The formats of a digest.
const (
	textFormat     = "text"
	markdownFormat = "md"
)

// parse checks the flags; of the others, those that say something else about the list go with no digest.
func (f *digestFlags) parse(cmd *cobra.Command, now time.Time) (err error) {
	switch {
	case f.since == "" && (cmd.Flags().Changed("format") || cmd.Flags().Changed("since")):
		return misusef(cmd.CommandPath(), "a digest needs the time from which on it reports: --since yesterday")
	case f.since == "":
		return nil
	case f.format != textFormat && f.format != markdownFormat:
		return misusef(cmd.CommandPath(), "--format %s: must be text or md", f.format)
	}
	for _, other := range []string{"all", "patch"} {
		if cmd.Flags().Changed(other) {
			return misusef(cmd.CommandPath(), "--since and --%s exclude each other", other)
		}
	}
	if f.from, _, err = parseTime("--since", f.since, now); err != nil {
		return &misuse{err, cmd.CommandPath()}
	}
	return nil
}

// print prints the digest of a store, and reports whether there was anything to say. After others, it begins with an empty line.
func (f *digestFlags) print(ctx context.Context, p *console, s *engine.Store, session versions.SessionID, after bool) (bool, error) {
	d, live, err := readDigest(ctx, s, f.from, session)
	if err != nil {
		return false, err
	}
	_, most := d.shownSessions()
	var effects [][]effect
	for i := 0; i < min(len(d.sessions), maxSessions); i = len(effects) {
		of, err := effectsOf(ctx, s, d.sessions[i], live, most)
		if err != nil {
			return false, err
		}
		if d.sessions[i].count() == 0 {
			d.sessions = slices.Delete(d.sessions, i, i+1)
			continue
		}
		effects = append(effects, of)
	}
	shown, _ := d.shownSessions()
	readPrompts(s.Trail, shown)
	switch {
	case p.json:
		p.emit(digestOf(s.Info(), &d, effects))
	case !d.empty():
		(&digestForm{p: p, markdown: f.format == markdownFormat, store: s.Info().Name, asked: f.since, begun: after}).print(&d, effects)
	}
	return !d.empty(), nil
}

// one prints the digest of a store.
func (f *digestFlags) one(ctx context.Context, p *console, s *engine.Store, session versions.SessionID) error {
	some, err := f.print(ctx, p, s, session, false)
	if err == nil && !some && !p.json {
		p.println("nothing happened in store %s since %s, and nothing waits for review", text.Field(s.Info().Name), when(f.from))
	}
	return err
}

// allStores prints the digests of all stores of the home where something happened.
func (f *digestFlags) allStores(ctx context.Context, p *console, t *engine.Trail, session versions.SessionID) error {
	any := false
	err := eachStore(ctx, p, t, "listed", func(info versions.StoreInfo) error {
		return withOpenPast(ctx, p, t, info, nil, func(s *engine.Store) error {
			some, err := f.print(ctx, p, s, session, any)
			any = any || some
			return err
		})
	})
	if err == nil && !any && !p.json {
		p.println("nothing happened in any store since %s, and nothing waits for review", when(f.from))
	}
	return err
}
