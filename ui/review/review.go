// Package review is the screen of the review queue: what others want to change and is held until a person
// decides, and below it the memories that they have changed, under the session that wrote what is left to decide, in the order of risk.
// Beside the list, or below it, is the diff of the row under the cursor: of a held change what it would do, of a memory what
// is still to be decided, hunk by hunk. A key decides what is shown: in the list the memory, in the diff the hunk or the
// lines selected in it. What is chosen is decided from the list, as it was shown when it was chosen.
//
// A held change is accepted against the plan that the screen shows. If the memory has changed since, nothing is
// written and the row is shown again. Accepting asks, the default answer changes nothing, and a key that is held
// down answers nothing (screen.Choose.Fresh).
package review

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
	vreview "github.com/memend/memend/versions/review"
)

// Store is the part of a store that the screen uses.
type Store interface {
	plan.Store
	Held(ctx context.Context, f versions.HeldFilter) ([]versions.Held, error)
	// PlansHeld plans several held changes.
	PlansHeld(ctx context.Context, numbers ...int64) (map[int64]*vplan.Plan, error)
	Reject(ctx context.Context, by versions.By, n int64, reason string) error
	// Unreviewed lists what others did and me has not reviewed, newest first.
	Unreviewed(ctx context.Context, me versions.Actor, limit int) ([]versions.Version, error)
	Bulks(ctx context.Context, since time.Time) ([]versions.Bulk, error)
	Sessions(ctx context.Context, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error)
	// Weigh reads what is to be decided of the memories of unreviewed versions, newest first.
	Weigh(ctx context.Context, me versions.Actor, made []versions.Version) (map[versions.MemoryID]vreview.Facts, error)
	Hunks
}

// Hunks reads what is to be decided of a memory, and edits it.
type Hunks interface {
	Pending(ctx context.Context, m versions.MemoryID, me versions.Actor) (vreview.Pending, error)
	// HunkWriters returns of each hunk the versions by others that wrote it, newest first.
	HunkWriters(ctx context.Context, p vreview.Pending) ([][]versions.Version, error)
	EditHunk(ctx context.Context, by versions.By, p vreview.Pending, text []byte, h vreview.Hunk) (c versions.Change, before vreview.Marks, err error)
}

// Tree knows what the person has reviewed, including what is not saved yet.
type Tree interface {
	ReviewState() *versions.ReviewState
	// ToReview returns which of some memories are to be reviewed, deleted ones too.
	ToReview(memories map[versions.MemoryID]bool) map[versions.MemoryID]bool
}

// Config holds what the screen works with.
type Config struct {
	Store  Store
	Tree   Tree
	By     versions.By
	Prompt func(versions.SessionID) string // the first prompt of a session, or ""; it may block
	Clip   *editor.Clipboard
	// ReadOnly is set if nothing can be written.
	ReadOnly bool
	At       screen.Queue // where to begin
	// Before returns what the agent said before a call, and the call in a few words; both are empty if no conversation here has
	// it. It may block. Nil: there are no conversations.
	Before func(ctx context.Context, session versions.SessionID, call string) (words, did string, err error)
}

// Pane is the screen. New returns one.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	cfg    Config
	keys   *keys.Map[*Pane]

	now      time.Time
	loads    screen.Load[reading]
	read     reading
	loaded   bool
	err      error
	rows     []row
	cols     int            // that the widest row needs without its actor
	who      int            // columns of the actors
	chosen   map[string]row // as they were shown when they were chosen
	applying bool           // a decision is being applied
	notified bool           // the person knows already what has to be shown again

	*split.Split
	memory  int    // which memory of a held change the diff is of
	hunk    int    // the hunk that is to be the current one, once the diff is read
	goTo    string // the key of the row to go to, once it is listed again
	whys    screen.Load[why]
	because why
	texts   screen.Load[[]byte] // that are to be edited
	details screen.Load[detail]
	detail  detail
}

// New returns the screen; Start reads the queue.
func New(env screen.Env, cfg Config) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	p := &Pane{env: env.During(ctx), cancel: cancel, cfg: cfg, keys: reviewKeys(env.Keys), chosen: map[string]row{}}
	p.Split = split.New(env.Theme, env.Keys, p)
	p.Diff.MarkFocused, p.Back = true, p.keys.Hint("screen.back")
	return p
}

// Start reads the queue.
func (p *Pane) Start() tea.Cmd { return p.load() }

// Close cancels pending requests.
func (p *Pane) Close() {
	p.texts.Stop()
	p.cancel()
}

// SetNow sets the time that ages are relative to.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
}

// Event reads the queue again if the event may concern it.
func (p *Pane) Event(e versions.Event) tea.Cmd {
	if e.Trust || e.Reload || len(e.Changes)+len(e.Attributed) > 0 {
		return p.load()
	}
	return nil
}

// Reviewed drops the rows that were reviewed meanwhile, and reads the queue again.
func (p *Pane) Reviewed() tea.Cmd {
	if !p.loaded {
		return nil
	}
	return tea.Batch(p.show(p.read), p.load())
}

// Session returns the session of the row under the cursor, in the diff that of the hunk, or "".
func (p *Pane) Session() versions.SessionID {
	switch r := p.current(); {
	case r == nil:
		return ""
	case r.held != nil:
		return r.held.By.Session
	default:
		v, _ := p.writer()
		return v.Session
	}
}
