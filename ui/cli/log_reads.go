package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// printReadsOf lists who read the memory that log was asked about.
func printReadsOf(p *storeOpener, cmd *cobra.Command, args []string, limit int) error {
	other := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "reads" && f.Name != "limit" && cmd.LocalNonPersistentFlags().Lookup(f.Name) != nil {
			other = f.Name
		}
	})
	switch {
	case len(args) == 0:
		return misusef(cmd.CommandPath(), "--reads needs the path of a memory")
	case other != "":
		return misusef(cmd.CommandPath(), "--reads lists all reads: leave out --%s", other)
	}
	return p.withPast(cmd.Context(), pathsOf(args...), func(s *engine.Store) error {
		memory, err := memoryArg(cmd.Context(), s, cmd.CommandPath(), args[0])
		if err != nil {
			return err
		}
		n := 0
		reads := func(at versions.Cursor) ([]versions.Read, versions.Cursor, error) {
			return history.Reads(cmd.Context(), s, memory, at, page)
		}
		for r, err := range listed(reads) {
			if err != nil {
				return err
			}
			version := ""
			if r.Number > 0 {
				version = fmt.Sprintf("version %d", r.Number)
			}
			j := readJSON{string(r.Memory), string(r.Version), r.Number, r.Actor, string(r.Session), r.ToolUse, r.Turn, stamp(r.Time)}
			p.answer(j, "%s  %s  %-12s  %s", when(r.Time), actorColumn(&p.console, actors.Name(r.Actor)), version, p.safe(string(r.Session)))
			if n++; n == limit {
				return nil
			}
		}
		if n == 0 && !p.json {
			fmt.Fprintf(p.err, "memend: no agent has read %s through memend\n", p.safe(args[0]))
		}
		return nil
	})
}

type readJSON struct {
	MemoryID  string         `json:"memory_id"`
	VersionID string         `json:"memory_version_id,omitempty"`
	Number    int            `json:"number,omitempty"` // of that version
	By        versions.Actor `json:"read_by"`
	SessionID string         `json:"session_id,omitempty"`
	ToolUseID string         `json:"tool_use_id,omitempty"`
	Turn      int            `json:"turn,omitempty"`
	ReadAt    stamp          `json:"read_at"`
}
