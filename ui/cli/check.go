package cli

import (
	"fmt"

	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Verify a store's trail and folder",
		Long: `Verify that the trail of a store is whole: every content has its hash, every
version its predecessor, every memory is in the folder as its newest version
says. Prints what does not hold and ends with 1 then. Nothing is changed.`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
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
		return &hinted{fmt.Errorf("store %s: %s", info.Name, plural(len(problems), "problem")), "keep a copy of memtrail's home before anything else"}
	}
	return nil
}
