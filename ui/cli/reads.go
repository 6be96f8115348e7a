package cli

import (
	"context"
	"fmt"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) readsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:         "reads PATH",
		Annotations: map[string]string{pages: ""},
		Short:       "List who read a memory",
		Long: `List when agents and API clients read a memory through memend, the newest
first. What a person reads, and what an agent reads from the file itself, is not
recorded.`,
		Example:           `  memend reads notes/plan.md`,
		Args:              misused(cobra.ExactArgs(1)),
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStoreAt(cmd.Context(), pathsOf(args...), func(s *versions.Store) error {
				memory, err := p.memoryArg(cmd.Context(), s, cmd.CommandPath(), args[0])
				if err != nil {
					return err
				}
				return p.reads(cmd.Context(), s, args[0], memory, limit)
			})
		},
	}
	limitFlag(cmd, &limit, "list at most `N`")
	return cmd
}

func (p *printer) reads(ctx context.Context, s *versions.Store, name string, memory versions.MemoryID, limit int) error {
	n := 0
	reads := func(at versions.Cursor) ([]versions.Read, versions.Cursor, error) {
		return s.Reads(ctx, memory, at, page)
	}
	for r, err := range listed(reads) {
		if err != nil {
			return err
		}
		p.read(r)
		if n++; n == limit {
			return nil
		}
	}
	if n == 0 && !p.json {
		fmt.Fprintf(p.err, "memend: no agent has read %s through memend\n", p.safe(name))
	}
	return nil
}

type readJSON struct {
	MemoryID  string    `json:"memory_id"`
	VersionID string    `json:"memory_version_id,omitempty"`
	Number    int       `json:"number,omitempty"` // of that version
	By        actorJSON `json:"read_by"`
	SessionID string    `json:"session_id,omitempty"`
	ToolUseID string    `json:"tool_use_id,omitempty"`
	Turn      int       `json:"turn,omitempty"`
	ReadAt    stamp     `json:"read_at"`
}

func (p *printer) read(r versions.Read) {
	version := ""
	if r.Number > 0 {
		version = fmt.Sprintf("version %d", r.Number)
	}
	j := readJSON{string(r.Memory), string(r.Version), r.Number, actorOf(r.Actor), string(r.Session), r.ToolUse, r.Turn, stamp(r.Time)}
	p.answer(j, "%s  %s  %-12s  %s", when(r.Time), p.actorColumn(actors.Name(r.Actor)), version, p.safe(string(r.Session)))
}
