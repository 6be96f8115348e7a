package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

type pinJSON struct {
	Path      string         `json:"path"`
	For       string         `json:"pinned_for"`
	By        versions.Actor `json:"created_by"`
	CreatedAt stamp          `json:"created_at"`
}

func pinCommand(p *program) *cobra.Command {
	var whom string
	var remove bool
	cmd := &cobra.Command{
		Use:               "pin [PATH...]",
		Annotations:       map[string]string{overview: "protect", changes: withName},
		Short:             "Make memories read-only for agents, or for all",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if remove && (len(args) == 0 || cmd.Flags().Changed("for")) {
				return misusef(cmd.CommandPath(), "--remove needs the paths to unpin, and no --for")
			}
			if remove {
				return setPins(&p.storeOpener, cmd, args, "unpin", func(s *engine.Store, path memfs.Path) (string, error) {
					return "unpinned " + p.toolPath(path), review.Unpin(cmd.Context(), s, p.by, path)
				})
			}
			if len(args) == 0 {
				return p.withPast(cmd.Context(), nil, func(s *engine.Store) error { return listPins(cmd.Context(), &p.console, s) })
			}
			if whom != string(versions.PinAgents) && whom != string(versions.PinAll) {
				return misusef(cmd.CommandPath(), "--for %s: must be agents or all", whom)
			}
			return setPins(&p.storeOpener, cmd, args, "pin", func(s *engine.Store, path memfs.Path) (string, error) {
				did := fmt.Sprintf("pinned %s for %s", p.toolPath(path), whom)
				if _, err := os.Lstat(filepath.Join(s.Info().Folder, path.Rel())); errors.Is(err, fs.ErrNotExist) {
					did += "; it does not exist yet"
				}
				return did, review.Pin(cmd.Context(), s, p.by, path, versions.PinFor(whom))
			})
		},
	}
	cmd.Flags().StringVar(&whom, "for", string(versions.PinAgents), "for whom it is read-only: `agents` or all")
	cmd.Flags().BoolVar(&remove, "remove", false, "make pinned memories writable again")
	complete(cmd, "for", cobra.FixedCompletions([]string{"agents\teverybody but a person at memend", "all\teverybody"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// setPins runs set for each path and prints what it did, or with --json all pins at the end.
func setPins(p *storeOpener, cmd *cobra.Command, args []string, what string, set func(s *engine.Store, path memfs.Path) (did string, err error)) error {
	if err := p.mayDecide(what); err != nil {
		return err
	}
	return p.withStoreUnsynced(cmd.Context(), func(s *engine.Store) error {
		for _, arg := range args {
			path, err := pathIn(s, arg)
			did := ""
			if err == nil {
				did, err = set(s, path)
			}
			if err != nil {
				return err
			}
			if !p.json {
				p.println("%s", did)
			}
		}
		if p.json {
			return listPins(cmd.Context(), &p.console, s)
		}
		return nil
	})
}

func listPins(ctx context.Context, p *console, s *engine.Store) error {
	pins, err := review.Pins(ctx, s)
	if err != nil {
		return err
	}
	for _, pin := range pins {
		if p.json {
			p.emit(pinJSON{pin.Path.Tool(), string(pin.For), pin.By, stamp(pin.Time)})
			continue
		}
		p.tableLine(fmt.Sprintf("%-6s  %s  %-12s  ", pin.For, when(pin.Time), p.safe(pin.By.String())), p.toolPath(pin.Path), "")
	}
	if len(pins) == 0 {
		reportEmpty(p, s, "nothing is pinned")
	}
	return nil
}
