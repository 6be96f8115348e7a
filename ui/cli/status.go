package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/gitsync"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/review"
)

func statusCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "status",
		Annotations: map[string]string{overview: "what is new"},
		Short:       "Show the state of a store: what to review, unfinished work",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error { return printStatus(cmd.Context(), &p.console, &p.invocation, t) })
		},
	}
}

type statusJSON struct {
	Home              string      `json:"home"`
	HomeSize          *int64      `json:"home_size_bytes,omitempty"` // absent: a part of it can't be read
	Stores            int         `json:"stores"`
	StoreID           string      `json:"memory_store_id,omitempty"` // absent, with all fields below: no store to work on
	Store             string      `json:"store,omitempty"`
	Folder            string      `json:"folder,omitempty"`
	ArchivedAt        stamp       `json:"archived_at,omitzero"`
	Memories          *int        `json:"memories,omitempty"`
	Bytes             *int64      `json:"content_size_bytes,omitempty"`
	Changes           *int64      `json:"changes,omitempty"`
	UpdatedAt         stamp       `json:"updated_at,omitzero"`
	Losses            []int64     `json:"mass_deletions,omitempty"`
	Unreviewed        *int        `json:"unreviewed,omitempty"`
	UnreviewedChanges []int64     `json:"unreviewed_changes,omitempty"` // the newest of them
	Waiting           *int        `json:"waiting_for_review,omitempty"`
	Policy            string      `json:"policy,omitempty"`
	Others            *int        `json:"not_memories,omitempty"`
	NotLoaded         int         `json:"index_lines_not_loaded,omitempty"`
	Sessions          *int        `json:"sessions,omitempty"`
	Latest            *latestJSON `json:"latest_session,omitempty"`
	Unsaved           *int        `json:"unsaved_texts,omitempty"`
	Pending           []string    `json:"pending,omitempty"`
	Branch            string      `json:"branch,omitempty"` // absent, with the fields below: the store is in step with none
	BranchURL         string      `json:"branch_url,omitempty"`
	ToSend            *int        `json:"changes_to_send,omitempty"`
	Delayed           int         `json:"changes_waiting,omitempty"`
	ToTakeIn          *int        `json:"commits_to_take_in,omitempty"`
	BranchSeen        stamp       `json:"branch_seen_at,omitzero"`
	Erased            bool        `json:"branch_has_erased,omitempty"`
	Error             string      `json:"error,omitempty"` // why the store can't be opened
	Hint              string      `json:"hint,omitempty"`
}

type latestJSON struct {
	ID         string         `json:"id"`
	By         versions.Actor `json:"created_by"`
	LastSeenAt stamp          `json:"last_seen_at"`
}

// storeStatus is the state of a store.
type storeStatus struct {
	info       versions.StoreInfo
	size       versions.StoreSize
	losses     []versions.Bulk // recent mass deletions that were not undone, oldest first
	review     toReview
	unreviewed []unreviewedChange // the newest, newest first, at most maxUnreviewed
	sessions   int
	latest     versions.Session
	unsaved    int
	left       versions.Unfinished
	waiting    int    // changes that wait for a person
	policy     string // name of its policy; "own rules" if it has none
	notLoaded  int    // lines at the end of its index that agents don't load
	cutBy      string // the limit that cuts it
	branch     versions.BranchState
	onBranch   bool  // it has one
	err        error // why it can't be opened; then only info and size are set
}

// unreviewedChange is a change that is to be reviewed.
type unreviewedChange struct {
	versions.Change
	now memfs.Path // where its only memory is, if that was renamed since; else the root
}

func printStatus(ctx context.Context, p *console, who *invocation, t *engine.Trail) error {
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	j := statusJSON{Home: t.Home(), Stores: len(all)}
	homeSize := "size not known"
	if engine.IsNew(t.Home()) {
		homeSize = "not created yet"
	} else if n, err := folderBytes(t.Home()); err == nil {
		j.HomeSize, homeSize = &n, units.Bytes(n)
	}
	if !p.json {
		p.println("home      %s (%s, %s)", p.safe(t.Home()), homeSize, plural(len(all), "store"))
	}
	info, err := who.chooseStore(ctx, t)
	if err != nil {
		if p.json {
			p.emit(j)
		}
		return err
	}
	status := storeStatus{info: info}
	failed := withOpen(ctx, t, info, func(s *engine.Store) error { return status.read(ctx, p, t, s) })
	if !errors.Is(failed, errReported) { // about a part of it
		status.err = failed
	}
	sizes, serr := history.Sizes(ctx, t)
	if serr != nil {
		return errors.Join(failed, serr)
	}
	status.size = sizes[info.ID]
	if p.json {
		status.json(&j)
		p.emit(j)
	} else {
		printStoreStatus(p, status)
	}
	return failed
}

// read reads the state of an open store.
func (status *storeStatus) read(ctx context.Context, p *console, t *engine.Trail, s *engine.Store) error {
	return synced(ctx, p, func(s *engine.Store) error {
		if err := status.readLosses(ctx, s, p.now().Add(-lossWindow)); err != nil {
			return err
		}
		for _, read := range []func(context.Context, *engine.Store) error{status.readReview, status.readSessions, status.readPolicy, status.readIndex} {
			if err := read(ctx, s); err != nil {
				return err
			}
		}
		branches, err := gitsync.Branches(ctx, t)
		if err != nil {
			return err
		}
		status.branch, status.onBranch = branches[status.info.ID]
		drafts, err := t.Drafts(status.info.ID).List()
		if err != nil {
			return err
		}
		status.unsaved = len(drafts)
		status.left, err = replica.Unfinished(ctx, s)
		return err
	})(s)
}

// lossWindow is how long a mass deletion that no one undid is reported.
const lossWindow = 7 * 24 * time.Hour

func (status *storeStatus) readLosses(ctx context.Context, s *engine.Store, since time.Time) error {
	bulks, err := history.Bulks(ctx, s, since)
	for _, b := range bulks {
		if b.Loss {
			status.losses = append(status.losses, b)
		}
	}
	return err
}

// maxUnreviewed is how many changes that are to be reviewed are listed.
const maxUnreviewed = 10

func (status *storeStatus) readReview(ctx context.Context, s *engine.Store) error {
	all, made, err := unreviewedOf(ctx, s, "")
	if err != nil {
		return err
	}
	status.review = all
	listed, changes := map[versions.MemoryID]bool{}, map[int64]bool{} // one memory of each change
	for _, v := range made {
		if _, known := listed[v.Memory]; !known {
			listed[v.Memory] = !changes[v.Change] && len(changes) < maxUnreviewed
			changes[v.Change] = true
		}
	}
	acts, err := review.Weighed(ctx, s, me(), slices.DeleteFunc(made, func(v versions.Version) bool { return !listed[v.Memory] }), "")
	for _, a := range acts {
		for _, m := range a.Memories {
			list, err := history.Changes(ctx, s, versions.Filter{}, m.Last().Change+1, 1)
			if err != nil {
				return err
			}
			for _, c := range list {
				of := unreviewedChange{Change: c}
				if c.Versions == 1 && m.Path() != m.Last().Path {
					of.now = m.Path()
				}
				status.unreviewed = append(status.unreviewed, of)
			}
		}
	}
	slices.SortFunc(status.unreviewed, func(a, b unreviewedChange) int { return cmp.Compare(b.Number, a.Number) })
	status.unreviewed = slices.CompactFunc(status.unreviewed, func(a, b unreviewedChange) bool { return a.Number == b.Number })
	return err
}

func (status *storeStatus) readSessions(ctx context.Context, s *engine.Store) error {
	latest, _, err := history.Sessions(ctx, s, versions.SessionFilter{}, "", 1)
	if err != nil || len(latest) == 0 {
		return err
	}
	status.latest = latest[0]
	status.sessions, err = history.CountSessions(ctx, s)
	return err
}

func (status *storeStatus) readPolicy(ctx context.Context, s *engine.Store) error {
	waiting, err := review.Held(ctx, s, versions.HeldFilter{State: versions.HeldWaiting})
	if err != nil {
		return err
	}
	sets, err := review.Policies(ctx, s)
	if err != nil {
		return err
	}
	status.waiting, status.policy = len(waiting), cmp.Or(policy.NameOf(sets[0].String()), "own rules")
	return nil
}

// readIndex finds out how much of the store's index agents don't load.
func (status *storeStatus) readIndex(ctx context.Context, s *engine.Store) error {
	if !places.KindOf(status.info).HasIndex() {
		return nil
	}
	path, err := memfs.ParsePath(places.IndexName)
	if err != nil {
		return err
	}
	e, err := history.Entry(ctx, s, path)
	if errors.Is(err, versions.ErrNoMemory) {
		return nil
	}
	var index []byte
	if err == nil {
		index, err = history.Content(ctx, s, e.Version)
	}
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(index), "\n"), "\n") // those of CRLF with their CR
	if at, by := places.Cut(lines, 1, false); at >= 0 {
		status.notLoaded, status.cutBy = len(lines)-at, by
	}
	return nil
}

// pending lists the unfinished work, one sentence each.
func (status *storeStatus) pending() (out []string) {
	for _, n := range status.left.Changes {
		out = append(out, fmt.Sprintf("change %d is recorded but not yet written to the folder", n))
	}
	if n := status.left.Redactions; n > 0 {
		out = append(out, fmt.Sprintf("%s not yet erased from every file of the home", pluralIs(n, "redaction")))
	}
	if n := status.left.There; n > 0 {
		out = append(out, fmt.Sprintf("%s not yet applied by the store's service", pluralIs(n, "redaction")))
	}
	return out
}

// pluralIs returns "1 redaction is", "2 redactions are".
func pluralIs(n int, word string) string {
	if n == 1 {
		return plural(n, word) + " is"
	}
	return plural(n, word) + " are"
}

func (status *storeStatus) json(j *statusJSON) {
	j.StoreID, j.Store, j.Folder, j.ArchivedAt = string(status.info.ID), status.info.Name, status.info.Folder, stamp(status.info.Archived)
	j.Memories, j.Bytes, j.Changes, j.UpdatedAt = &status.size.Memories, &status.size.Bytes, &status.size.Changes, stamp(status.size.Changed)
	if status.err != nil {
		j.Error, j.Hint = status.err.Error(), hint(status.err)
		return
	}
	j.Waiting, j.Policy, j.NotLoaded = &status.waiting, status.policy, status.notLoaded
	j.Others, j.Sessions, j.Unsaved, j.Pending = &status.review.others, &status.sessions, &status.unsaved, status.pending()
	for _, c := range status.unreviewed {
		j.UnreviewedChanges = append(j.UnreviewedChanges, c.Number)
	}
	for _, b := range status.losses {
		j.Losses = append(j.Losses, b.Deleting[len(b.Deleting)-1])
	}
	if status.onBranch {
		j.Branch, j.BranchURL, j.ToSend, j.Erased = status.branch.Name, git.Shown(status.branch.URL), &status.branch.ToSend, status.branch.Erased
		j.Delayed, j.ToTakeIn, j.BranchSeen = status.branch.Delayed, &status.branch.Comes, stamp(status.branch.Seen)
	}
	unreviewed := len(status.review.memories)
	j.Unreviewed = &unreviewed
	if status.sessions > 0 {
		j.Latest = &latestJSON{string(status.latest.ID), status.latest.Actor, stamp(status.latest.Seen)}
	}
}

func printStoreStatus(p *console, status storeStatus) {
	about := ""
	if !status.info.Archived.IsZero() {
		about = ", archived"
	}
	p.println("store     %s (%s%s)", p.safe(status.info.Name), storeLocation(p, status.info), about)
	p.println("memories  %d (%s)", status.size.Memories, units.Bytes(status.size.Bytes))
	last := ""
	if !status.size.Changed.IsZero() {
		last = ", the last on " + when(status.size.Changed)
	}
	p.println("history   %s%s", plural(int(status.size.Changes), "change"), last)
	if status.err != nil {
		return
	}
	for _, b := range status.losses {
		p.println("deleted   %s by %s on %s; %s", plural(b.Deleted, "memory"), p.safe(actors.Name(b.Actor)), when(b.Until), wording.UndoLoss(b))
	}
	p.println("policy    %s", status.policy)
	if status.waiting > 0 {
		p.println("waiting   %s for a person; %s lists them", plural(status.waiting, "change"), p.hintText("`memend review`"))
	}
	if n := len(status.review.memories); n == 0 {
		p.println("review    nothing to review")
	} else {
		deleted := ""
		if status.review.deleted > 0 {
			deleted = fmt.Sprintf(", %d of them deleted", status.review.deleted)
		}
		p.println("review    %s changed by others since the last review%s; %s lists them", plural(n, "memory"), deleted, p.hintText("`memend review`"))
		for _, c := range status.unreviewed {
			now := ""
			if !c.now.IsRoot() {
				now = ", now " + p.toolPath(c.now)
			}
			p.println("          change %d by %s: %s%s", c.Number, p.safe(actors.Name(c.Actor)), describeChange(p, c.Change), now)
		}
	}
	if status.review.others > 0 {
		p.println("others    %s not kept as memories; %s says why", pluralIs(status.review.others, "file"), p.hintText("`memend ls`"))
	}
	if status.notLoaded > 0 {
		p.println("index     agents do not load the last %s of /memories/%s: it has over %s", plural(status.notLoaded, "line"), places.IndexName, status.cutBy)
	}
	if status.onBranch {
		p.println("branch    %s of %s: %s", p.safe(status.branch.Name), p.safe(git.Shown(status.branch.URL)), p.hintText(branchStatus(status.branch)))
	}
	if status.sessions == 0 {
		p.println("sessions  none")
	} else {
		p.println("sessions  %d, the last by %s on %s", status.sessions, p.safe(actors.Name(status.latest.Actor)), when(status.latest.Seen))
	}
	if status.unsaved > 0 {
		p.println("unsaved   %s, which the TUI offers again", plural(status.unsaved, "text"))
	}
	for _, what := range status.pending() {
		p.println("pending   %s", what)
	}
}

// branchStatus says what a sync would do, as far as it is known here, and when the branch was looked at last.
func branchStatus(b versions.BranchState) string {
	seen := ", never looked at"
	if !b.Seen.IsZero() {
		seen = ", last look " + when(b.Seen)
	}
	unsynced := wording.Unsynced(b)
	switch {
	case b.Erased:
		return "it still has text that was erased here; `memend sync --rewrite` removes it"
	case unsynced == "":
		return "nothing to send" + seen
	}
	return unsynced + seen + "; `memend sync` syncs"
}

// folderBytes returns the size of all files below a folder.
func folderBytes(folder string) (n int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was deleted meanwhile
		}
		if err == nil {
			n += fi.Size()
		}
		return err
	})
	return n, err
}
