package cli

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) checkCommand() *cobra.Command {
	repair, all := false, false
	cmd := &cobra.Command{
		Use:         "check",
		Annotations: map[string]string{changes: "repair"},
		Short:       "Verify a store's trail and folder",
		Long: `Verify that the trail of a store is intact: every content has its hash, every
version its predecessor, and every memory is in the folder as its newest version
says. The command prints each problem and then exits with 1. It changes nothing.
--all-stores checks every store of the home.

--repair first repairs the trail of the whole home: it sets a damaged database
aside, writes a new one from every row that can be read, restores contents that
a file still has, and marks in the history what is lost. The rest of the history
stays as it was. After that, check names what is lost in a note and exits with
0. Nothing is removed. Stop all other memend processes first.`,
		Example: `  memend check -s work
  memend check --all-stores
  memend check --repair --all-stores`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if repair {
				if err := p.repair(cmd.Context()); err != nil {
					return err
				}
			}
			if p.terminal {
				fmt.Fprintln(p.err, "memend: reading every version once…")
			}
			check := func(s *versions.Store) error { return p.check(cmd.Context(), s) }
			if !all {
				return p.withStore(cmd.Context(), check)
			}
			return p.withTrail(cmd.Context(), func(t *versions.Trail) error {
				stores, err := t.Stores(cmd.Context())
				for _, info := range stores {
					if failed := withOpen(cmd.Context(), t, info, p.synced(cmd.Context(), check)); failed != nil {
						p.exit(failed) // go on with the other stores
						err = errReported
					}
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all-stores", false, "check every store of this home")
	cmd.Flags().BoolVar(&repair, "repair", false, "first repair the trail of the home, as far as possible")
	return cmd
}

func (p *printer) check(ctx context.Context, s *versions.Store) error {
	problems, err := s.Check(ctx)
	if err != nil {
		return err
	}
	losses, err := s.Losses(ctx)
	if err != nil && len(problems) == 0 { // otherwise the problems describe the damage already
		return err
	}
	return p.checked(s.Info(), problems, losses)
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

func (p *program) repair(ctx context.Context) error {
	home, err := p.homeFolder()
	if err != nil {
		return err
	}
	done, err := versions.Repair(ctx, home, versions.Options{})
	if err != nil {
		return err
	}
	if p.json {
		p.emit(repairedJSON{done.Rebuilt, done.Lost, done.Aside, append([]string{}, done.Stores...), done.Healed, done.Damaged, done.Changes, done.Versions})
		return nil
	}
	switch {
	case done.Lost && done.Aside == "":
		p.println("there was no trail: a new one was created from the folders")
	case done.Lost:
		p.println("the history could not be read: a new one was created from the folders")
	case done.Rebuilt:
		p.println("the trail was rebuilt from everything that could be read")
	}
	if done.Aside != "" {
		p.println("the damaged trail is kept as %s", p.safe(done.Aside))
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

type checkJSON struct {
	Store    string   `json:"store"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
	Lost     []string `json:"lost"` // known losses from an earlier repair, which are not problems
}

func (p *printer) checked(info versions.StoreInfo, problems, losses []string) error {
	if p.json {
		p.emit(checkJSON{info.Name, len(problems) == 0, append([]string{}, problems...), append([]string{}, losses...)})
	} else {
		for _, problem := range problems {
			p.println("%s", p.safe(problem))
		}
		for _, loss := range losses {
			p.println("note: %s", p.safe(loss))
		}
		switch {
		case len(problems) > 0:
		case len(losses) > 0:
			p.println("store %s is intact, except for known losses", p.safe(info.Name))
		default:
			p.println("store %s is intact", p.safe(info.Name))
		}
	}
	if len(problems) > 0 {
		return &hinted{fmt.Errorf("store %s: %s", info.Name, plural(len(problems), "problem")), "first copy memend's home; then `memend check --repair` repairs what it can"}
	}
	return nil
}
