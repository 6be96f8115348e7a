package cli

import (
	"context"
	"fmt"

	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) checkCommand() *cobra.Command {
	repair := false
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Verify a store's trail and folder",
		Long: `Verify that the trail of a store is whole: every content has its hash, every
version its predecessor, every memory is in the folder as its newest version
says. Prints what does not hold and ends with 1 then. Nothing is changed.

With --repair the trail of the whole home is put right first, as far as it can
be: a damaged database is put aside and written anew, row by row, contents that
a file still holds are healed, and what is lost is marked in the history. The
rest of the history stays as it was. From then on check names what is lost in a
note and ends with 0. Nothing is removed. End every other memtrail first.`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if repair {
				if err := p.repair(cmd.Context()); err != nil {
					return err
				}
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error {
				if p.terminal {
					fmt.Fprintln(p.err, "memtrail: reading every version once…")
				}
				problems, err := s.Check(cmd.Context())
				if err != nil {
					return err
				}
				losses, err := s.Losses(cmd.Context())
				if err != nil && len(problems) == 0 { // else the damage is named already
					return err
				}
				return p.checked(s.Info(), problems, losses)
			})
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "put the trail right first, as far as it can be")
	return cmd
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
		return p.emit(repairedJSON{done.Rebuilt, done.Lost, done.Aside, append([]string{}, done.Stores...), done.Healed, done.Damaged, done.Changes, done.Versions})
	}
	switch {
	case done.Lost && done.Aside == "":
		p.println("there was no trail: it begins anew with what the folders hold")
	case done.Lost:
		p.println("nothing of the history could be read: it begins anew with what the folders hold")
	case done.Rebuilt:
		p.println("the trail was written anew from all that could be read of it")
	}
	if done.Aside != "" {
		p.println("the damaged trail is kept as %s", p.safe(done.Aside))
	}
	if done.Healed > 0 {
		p.println("%s healed from the folders", plural(done.Healed, "content"))
	}
	for _, lost := range []struct {
		n   int
		one string
	}{{done.Changes, "change"}, {done.Versions, "version"}, {done.Damaged, "content"}} {
		if lost.n > 0 {
			p.println("%s lost to damage; the history marks where", plural(lost.n, lost.one))
		}
	}
	return nil
}

type checkJSON struct {
	Store    string   `json:"store"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
	Lost     []string `json:"lost"` // what a repair found lost: known, and no problem
}

func (p *program) checked(info versions.StoreInfo, problems, losses []string) error {
	if p.json {
		if err := p.emit(checkJSON{info.Name, len(problems) == 0, append([]string{}, problems...), append([]string{}, losses...)}); err != nil {
			return err
		}
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
			p.println("store %s is whole but for what is known to be lost", p.safe(info.Name))
		default:
			p.println("store %s is whole", p.safe(info.Name))
		}
	}
	if len(problems) > 0 {
		return &hinted{fmt.Errorf("store %s: %s", info.Name, plural(len(problems), "problem")), "keep a copy of memtrail's home before anything else; `memtrail check --repair` puts right what can be"}
	}
	return nil
}
