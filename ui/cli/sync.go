package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/gitsync"
)

// syncing is one run of the command.
type syncing struct {
	*storeOpener
	command             string
	branch, subdir      string
	all, dryRun         bool
	pull, push, rewrite bool
	yes                 bool
	held                bool // something waits for a person now
}

func syncCommand(p *program) *cobra.Command {
	y := &syncing{storeOpener: &p.storeOpener}
	cmd := &cobra.Command{
		Use:         "sync [URL]",
		Annotations: map[string]string{overview: "with git", changes: always},
		Short:       "Keep a store in step with a git repository",
		RunE: func(cmd *cobra.Command, args []string) error {
			y.command = cmd.CommandPath()
			err := y.run(cmd.Context(), append(args, "")[0])
			if err == nil && y.held {
				err = errors.Join(errReported, &versions.HeldError{})
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&y.branch, "branch", "", "the `NAME` of the branch; default: the repository's")
	flags.StringVar(&y.subdir, "subdir", "", "the memories are in `DIR` of the repository")
	flags.BoolVar(&y.all, "all", false, "sync each store of this home that has a branch")
	flags.BoolVar(&y.dryRun, "dry-run", false, "only show what a sync would take in, send and hold for review")
	flags.BoolVar(&y.pull, "pull", false, "only take in commits")
	flags.BoolVar(&y.push, "push", false, "only send changes")
	flags.BoolVar(&y.rewrite, "rewrite", false, "replace the branch with the content of the store")
	flags.BoolVar(&y.yes, "yes", false, "do not ask before --rewrite")
	return cmd
}

func (y *syncing) run(ctx context.Context, url string) error {
	switch {
	case y.pull && y.push:
		return misusef(y.command, "--pull and --push: leave out both to do both")
	case y.rewrite && (y.pull || y.push || y.dryRun):
		return misusef(y.command, "--rewrite replaces the branch: leave out --pull, --push and --dry-run")
	case url == "" && (y.branch != "" || y.subdir != ""):
		return misusef(y.command, "--branch and --subdir need the URL")
	case y.all && (url != "" || y.store != ""):
		return misusef(y.command, "--all syncs each store that has a branch: leave out URL and --store")
	}
	if !y.all {
		return y.withStore(ctx, func(s *engine.Store) error { return y.one(ctx, s, url) })
	}
	return y.withTrail(ctx, func(t *engine.Trail) error {
		infos, err := t.Stores(ctx)
		if err != nil {
			return err
		}
		var failed error
		for _, info := range infos {
			if info.Hosted() || !info.Archived.IsZero() {
				continue
			}
			err := withOpen(ctx, t, info, synced(ctx, &y.console, func(s *engine.Store) error {
				if _, ok, err := gitsync.Branch(ctx, s); err != nil || !ok {
					return err
				}
				return y.one(ctx, s, "")
			}))
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("sync store %s: %w", info.Name, err))
			}
		}
		return failed
	})
}

// one syncs one store.
func (y *syncing) one(ctx context.Context, s *engine.Store, url string) error {
	info := s.Info()
	if info.Hosted() {
		return misusef(y.command, "store %s is hosted: its service has its history", info.Name)
	}
	b, err := branchOf(ctx, s, url, y.branch, y.subdir)
	if err != nil {
		return fmt.Errorf("sync store %s: %w", info.Name, err)
	}
	o := syncOptions(ctx, s.Trail.Home())
	o.NoPull, o.NoPush, o.Rewrite = y.push, y.pull, y.rewrite
	if y.dryRun {
		return y.preview(ctx, s, b, o)
	}
	if y.rewrite {
		if !y.by.Person() {
			return fmt.Errorf("replace branch %s: %w", b.Name, versions.ErrPersonsOnly)
		}
		if yes, err := y.confirmIrreversible(y.command, wording.AskRewrite(b, info.Name), y.yes); err != nil || !yes {
			return err
		}
	}
	ctx, end := y.withProgress(ctx, "")
	r, err := gitsync.Sync(ctx, s, y.by, b, o)
	end()
	for _, left := range r.LeftOut {
		fmt.Fprintf(y.err, "memend: %s\n", y.safe(left))
	}
	if err == nil || len(r.Taken)+r.Imported+len(r.Held) > 0 {
		y.report(s, b, r)
	}
	y.held = y.held || len(r.Held) > 0
	if err != nil {
		return fmt.Errorf("sync store %s: %w", info.Name, err)
	}
	return nil
}

// syncOptions are the options of each sync from a home.
func syncOptions(ctx context.Context, home string) gitsync.Options {
	return gitsync.Options{Me: sync.OnceValues(func() (name, email string) {
		return gitSetting(ctx, home, "user.name"), gitSetting(ctx, home, "user.email")
	}), Subject: subjectOf}
}

// branchOf returns the branch of a store: that of a name at url, or the one that it has.
func branchOf(ctx context.Context, s *engine.Store, url, name, subdir string) (versions.Branch, error) {
	const command = "memend sync"
	b, ok, err := gitsync.Branch(ctx, s)
	switch {
	case err != nil:
		return b, err
	case url == "" && !ok:
		return b, misusef(command, "store %s has no branch: name the URL of its repository", s.Info().Name)
	case url == "":
		return b, nil
	}
	if isLocal(url) {
		if url, err = filepath.Abs(url); err != nil {
			return b, err
		}
	}
	if ok && subdir == "" {
		subdir = b.Subdir
	}
	if ok && subdir != b.Subdir {
		return b, misusef(command, "store %s is in step with folder %s of its repository; another folder needs a store of its own", s.Info().Name, cmp.Or(b.Subdir, "/"))
	}
	if ok && name == "" {
		name = b.Name
	}
	return gitsync.Find(ctx, url, name, subdir)
}

// isLocal reports whether a URL is the path of a folder, as git reads it.
func isLocal(url string) bool {
	colon := strings.IndexByte(url, ':')
	return colon < 0 || strings.Contains(url[:colon], "/")
}

// gitSetting is a setting of git; "" if it is not set.
func gitSetting(ctx context.Context, dir, key string) string {
	out, err := git.Remote(ctx, dir, "config", "--get", key).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// subjectOf is the first line of a change's commit.
func subjectOf(c versions.Change, undone string) string {
	return wording.Sentence(c, wording.Notation{
		Path:    memfs.Path.Rel,
		Arrow:   " to ",
		Change:  func(int64) string { return undone },
		Session: func(s versions.SessionID) string { return "session " + string(s) },
	})
}

type syncJSON struct {
	StoreID   string           `json:"memory_store_id"`
	Changes   []int64          `json:"changes,omitempty"`
	Taken     int              `json:"changes_taken"`
	Held      []int64          `json:"held_changes,omitempty"`
	Sent      int              `json:"changes_sent"`
	Waiting   int              `json:"changes_waiting"`
	Pushed    bool             `json:"pushed"`
	Comes     []gitsync.Commit `json:"commits,omitempty"`
	Conflicts []string         `json:"conflicts,omitempty"`
	Holds     []string         `json:"holds,omitempty"`
	Left      []string         `json:"left_out,omitempty"`
	DryRun    bool             `json:"dry_run,omitempty"`
}

func (y *syncing) report(s *engine.Store, b versions.Branch, r gitsync.Result) {
	if y.json {
		j := syncJSON{StoreID: string(s.Info().ID), Taken: len(r.Taken) + r.Imported, Held: r.Queue, Sent: r.Sent, Waiting: r.Waiting, Pushed: r.Pushed, Left: r.LeftOut}
		for _, c := range r.Taken {
			j.Changes = append(j.Changes, c.Number)
		}
		y.emit(j)
		return
	}
	y.println("store %s, branch %s of %s: %s", y.safe(s.Info().Name), y.safe(b.Name), y.safe(git.Shown(b.URL)), wording.Synced(r))
	if len(r.Queue) > 0 {
		fmt.Fprintf(y.err, "  hint: %s lists what waits; the next sync sends the decision\n", y.hintText("`memend review`"))
	}
}

func (y *syncing) preview(ctx context.Context, s *engine.Store, b versions.Branch, o gitsync.Options) error {
	v, err := gitsync.Look(ctx, s, y.by, b, o)
	if err != nil {
		return fmt.Errorf("sync store %s: %w", s.Info().Name, err)
	}
	y.held = y.held || len(v.Conflicts)+len(v.Held) > 0
	if y.json {
		y.emit(syncJSON{StoreID: string(s.Info().ID), Taken: len(v.Comes), Sent: v.Goes, Waiting: v.Waiting, Conflicts: v.Conflicts, Holds: v.Held, Comes: v.Comes, Left: v.LeftOut, DryRun: true})
		return nil
	}
	for _, c := range v.Comes {
		y.println("comes     %-12.12s %s", y.safe(c.By.String()), y.safe(c.Subject))
	}
	for _, why := range v.Conflicts {
		y.println("conflict  %s", y.safe(why))
	}
	for _, why := range v.Held {
		y.println("held      %s", y.safe(why))
	}
	after := ""
	if v.Waiting > 0 {
		after = fmt.Sprintf(", and %d more after the review", v.Waiting)
	}
	y.println("would take in %s and send %s%s", plural(len(v.Comes), "commit"), plural(v.Goes, "change"), after)
	return nil
}
