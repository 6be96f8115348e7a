package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
)

func checkCommand(p *program) *cobra.Command {
	repair := false
	var c checking
	cmd := &cobra.Command{
		Use:         "check",
		Annotations: map[string]string{overview: "verify, repair", changes: "repair", whole: ""},
		Short:       "Verify a store's trail and folder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.readHeads(); err != nil {
				return err
			}
			if repair {
				home, err := p.homeFolder()
				if err == nil {
					err = repairTrail(cmd.Context(), &p.console, home)
				}
				if err != nil {
					return err
				}
			}
			if p.terminal {
				fmt.Fprintln(p.err, "memend: reading every version once…")
			}
			check := func(s *engine.Store) error { return runCheck(cmd.Context(), &p.console, s, &c) }
			if !c.all {
				return p.withPast(cmd.Context(), nil, check)
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
				stores, err := t.Stores(cmd.Context())
				for _, info := range stores {
					if failed := withOpenPast(cmd.Context(), &p.console, t, info, nil, check); failed != nil {
						reportError(&p.console, failed) // go on with the other stores
						err = errReported
					}
				}
				for _, h := range slices.Sorted(maps.Keys(c.heads)) { // which were not compared
					reportError(&p.console, fmt.Errorf("store %s of --since is not in this home", h))
					err = errReported
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&c.all, "all-stores", false, "check every store of this home")
	cmd.Flags().BoolVar(&c.head, "head", false, "print where the log ends, in one line to keep elsewhere")
	cmd.Flags().StringVar(&c.since, "since", "", "a `HEAD` that was kept, or a file with some: the history up to it must be unchanged")
	cmd.Flags().BoolVar(&repair, "repair", false, "first repair the trail of the home, as far as possible")
	return cmd
}

// checking is what a check compares with or prints besides problems.
type checking struct {
	all, head bool
	trail     bool // it was checked
	since     string
	heads     map[versions.StoreID]versions.LogHead // those of since that were not compared yet
}

// readHeads reads the heads of since: one in the argument, or one on each line of a file.
func (c *checking) readHeads() error {
	switch {
	case c.since == "":
		return nil
	case c.head:
		return misusef("memend check", "--head and --since exclude each other")
	}
	c.heads = map[versions.StoreID]versions.LogHead{}
	text := c.since
	switch _, err := versions.ParseLogHead(text); {
	case errors.Is(err, versions.ErrOldHead):
		return misusef("memend check", "--since: %w", err)
	case err != nil:
		b, err := os.ReadFile(c.since)
		if err != nil {
			return misusef("memend check", "--since: neither a head nor a file: %w", err)
		}
		text = string(b)
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		h, err := versions.ParseLogHead(line)
		if err != nil {
			return misusef("memend check", "--since: %.40q: %w", strings.TrimSpace(line), err)
		}
		c.heads[h.Store] = h
	}
	return nil
}

// take returns the head to compare a store with; nil if there is none to compare with.
func (c *checking) take(s versions.StoreInfo) (*versions.LogHead, error) {
	h, ok := c.heads[s.ID]
	switch {
	case ok:
		delete(c.heads, s.ID)
		return &h, nil
	case c.since != "" && !c.all:
		return nil, misusef("memend check", "--since: no head of store %s (%s)", s.Name, s.ID)
	}
	return nil, nil
}

func runCheck(ctx context.Context, p *console, s *engine.Store, c *checking) error {
	since, err := c.take(s.Info())
	if err != nil {
		return err
	}
	look := check.Since
	if !c.trail { // what is wrong with it is said once
		look, c.trail = check.HomeAndSince, true
	}
	problems, now, err := look(ctx, s, since)
	if err != nil {
		return err
	}
	if c.head && len(problems) == 0 {
		p.answer(logHeadJSON{s.Info().Name, s.Info().ID, now.Change, now.Record, now.Hash.String(), now.String()}, "%s", now)
		return nil
	}
	losses, err := check.Losses(ctx, s)
	if err != nil && len(problems) == 0 { // otherwise the problems describe the damage already
		return err
	}
	var after *sinceJSON
	if since != nil {
		after = &sinceJSON{since.Change, now.Change - since.Change}
	}
	reportCheck(p, s.Info(), problems, losses, after)
	if len(problems) > 0 {
		report, err := s.Sync(ctx)
		return &hinted{fmt.Errorf("store %s: %s", s.Info().Name, plural(len(problems), "problem")), mendHint(len(problems), report, err)}
	}
	return nil
}

// logHeadJSON is one line of check --head.
type logHeadJSON struct {
	Store  string           `json:"store"`
	ID     versions.StoreID `json:"id"`
	Change int64            `json:"change"`
	Record int64            `json:"record"`
	Hash   string           `json:"hash"`
	Head   string           `json:"head"` // what --since takes
}

type repairedJSON struct {
	Rebuilt bool     `json:"rebuilt"`
	Lost    bool     `json:"history_lost"`
	Aside   string   `json:"damaged_trail,omitempty"`
	Stores  []string `json:"stores"`
	Healed  int      `json:"healed"`

	LostContents int `json:"lost_contents"`
	LostChanges  int `json:"lost_changes"`
	LostVersions int `json:"lost_versions"`
}

func repairTrail(ctx context.Context, p *console, home string) error {
	ctx, end := p.withProgress(ctx, "")
	done, err := check.Repair(ctx, home, versions.Options{})
	end()
	if err != nil {
		return err
	}
	if p.json {
		p.emit(repairedJSON{done.Rebuilt, done.Lost, done.Aside, append([]string{}, done.Stores...), done.Healed, done.Damaged, done.Changes, done.Versions})
		return nil
	}
	switch {
	case done.Lost && done.Aside == "":
		p.println("there was no trail: a new one was created, without a store")
	case done.Lost:
		p.println("the history could not be read: a new one was created, without a store")
	case done.Rebuilt:
		p.println("the trail was rebuilt from everything that could be read")
	}
	if done.Aside != "" {
		p.println("the damaged trail is kept as %s", p.safe(done.Aside))
	}
	if done.Lost {
		p.println("each store begins anew, with the files of its folder: `memend stores create NAME --folder DIR`")
		own, _ := os.ReadDir(filepath.Join(home, "stores"))
		for _, folder := range own { // of stores that memend made; they belong to none now
			p.println("  memend stores create %s", p.safe(shellWord(folder.Name())))
		}
	}
	if done.Healed > 0 {
		p.println("%s repaired from the folders", plural(done.Healed, "content"))
	}
	for _, lost := range []struct {
		n   int
		one string
	}{{done.Changes, "change"}, {done.Versions, "version"}, {done.Damaged, "content"}} {
		if lost.n > 0 {
			p.println("%s lost to damage; the history shows where", plural(lost.n, lost.one))
		}
	}
	return nil
}

const repairHint = "first copy memend's home; then `memend check --repair` repairs what it can"

// mendHint says what to do about the problems of a store, whose folder was synced. A repair mends neither a folder that can't be
// used nor files that may not be read.
func mendHint(problems int, report versions.SyncReport, synced error) string {
	switch {
	case problems == 1 && errors.As(synced, new(*versions.FolderError)):
		return hint(synced)
	case problems == len(report.Denied):
		return hint(memfs.ErrNoPermission)
	}
	return repairHint
}

type checkJSON struct {
	Store    string   `json:"store"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
	Lost     []string `json:"lost"` // known losses from an earlier repair, which are not problems

	Since *sinceJSON `json:"since,omitempty"` // of --since
}

// sinceJSON counts what came after a head.
type sinceJSON struct {
	Change  int64 `json:"change"` // the last one before
	Changes int64 `json:"changes"`
}

func reportCheck(p *console, info versions.StoreInfo, problems, losses []string, since *sinceJSON) {
	if p.json {
		p.emit(checkJSON{info.Name, len(problems) == 0, append([]string{}, problems...), append([]string{}, losses...), since})
		return
	}
	for _, problem := range problems {
		p.println("%s", p.safe(problem))
	}
	for _, loss := range losses {
		p.println("note: %s", p.safe(loss))
	}
	if len(problems) > 0 {
		return
	}
	known := ""
	if len(losses) > 0 {
		known = ", except for known losses"
	}
	p.println("store %s is intact%s", p.safe(info.Name), known)
	if since != nil {
		p.println("unchanged up to change %d; since then %s", since.Change, plural(int(since.Changes), "change"))
	}
}
