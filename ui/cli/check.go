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
be: contents that a file still holds are healed, a database that can't be read
as a whole is put aside and written anew, and where all is lost the history
begins again with what the folders hold. Nothing is removed. End every other
memtrail first.`,
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
				return p.checked(s.Info(), problems)
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
	Damaged int      `json:"damaged"`
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
		return p.emit(repairedJSON{done.Rebuilt, done.Lost, done.Aside, append([]string{}, done.Stores...), done.Healed, done.Damaged})
	}
	switch {
	case done.Lost && done.Aside == "":
		p.println("there was no trail: it begins anew with what the folders hold")
	case done.Lost:
		p.println("the history could not be read: it begins anew with what the folders hold")
	case done.Rebuilt:
		p.println("the trail was written anew from all that could be read of it")
	}
	if done.Aside != "" {
		p.println("the damaged trail is kept as %s", p.safe(done.Aside))
	}
	if done.Healed > 0 {
		p.println("%s healed from the folders", plural(done.Healed, "content"))
	}
	if done.Damaged > 0 {
		p.println("%s: no file holds what they were", plural(done.Damaged, "damaged content"))
	}
	return nil
}

type checkJSON struct {
	Store    string   `json:"store"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
}

func (p *program) checked(info versions.StoreInfo, problems []string) error {
	if p.json {
		if err := p.emit(checkJSON{info.Name, len(problems) == 0, append([]string{}, problems...)}); err != nil {
			return err
		}
	} else {
		for _, problem := range problems {
			p.println("%s", p.safe(problem))
		}
		if len(problems) == 0 {
			p.println("store %s is whole", p.safe(info.Name))
		}
	}
	if len(problems) > 0 {
		return &hinted{fmt.Errorf("store %s: %s", info.Name, plural(len(problems), "problem")), "keep a copy of memtrail's home before anything else; `memtrail check --repair` puts right what can be"}
	}
	return nil
}
