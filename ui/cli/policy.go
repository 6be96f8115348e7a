package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/review"
)

func policyCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "policy",
		Annotations: map[string]string{overview: "what must wait"},
		Short:       "Set which changes wait for a person, and which are denied",
		RunE:        func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(policyShowCommand(p), policyUseCommand(p), policyEditCommand(p), policySetCommand(p))
	return cmd
}

type policyJSON struct {
	StoreID   string          `json:"memory_store_id"`
	SessionID string          `json:"session_id,omitempty"`
	Preset    string          `json:"preset,omitempty"` // empty: it is none
	Rules     string          `json:"rules"`
	By        *versions.Actor `json:"created_by,omitempty"` // absent: nobody ever set one
	CreatedAt stamp           `json:"created_at,omitzero"`
}

func policyShowCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show the policy of a store, and those of sessions",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withPast(cmd.Context(), nil, func(s *engine.Store) error { return showPolicies(cmd.Context(), &p.console, s) })
		},
	}
}

func showPolicies(ctx context.Context, p *console, s *engine.Store) error {
	sets, err := review.Policies(ctx, s)
	if err != nil {
		return err
	}
	for i, set := range sets {
		preset := policy.NameOf(set.String())
		if p.json {
			j := policyJSON{StoreID: string(s.Info().ID), SessionID: string(set.Session), Preset: preset, Rules: set.String(), CreatedAt: stamp(set.Time)}
			if set.By != (versions.Actor{}) {
				j.By = &set.By
			}
			p.emit(j)
			continue
		}
		title := "store " + s.Info().Name
		if set.Session != "" {
			title = "session " + string(set.Session)
		}
		if preset != "" {
			title += ": " + preset
		}
		if !set.Time.IsZero() {
			title += fmt.Sprintf(", set by %s on %s", set.By, when(set.Time))
		}
		if i > 0 {
			p.println("")
		}
		p.println("%s", p.safe(title))
		for line := range strings.Lines(set.String()) {
			p.println("  %s", p.safe(strings.TrimRight(line, "\r\n")))
		}
	}
	return nil
}

func policyUseCommand(p *program) *cobra.Command {
	var drop bool
	names := make([]string, len(policy.Presets))
	for i, preset := range policy.Presets {
		names[i] = preset.Name + "\t" + preset.Summary
	}
	cmd := &cobra.Command{
		Use:               "use PRESET",
		Annotations:       map[string]string{changes: always, filters: ""},
		Short:             "Use a predefined policy for a store or a session",
		ValidArgsFunction: cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp),
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case drop && (len(args) > 0 || p.session == ""):
				return misusef(cmd.CommandPath(), "--clear takes no preset, and needs --session")
			case drop:
				return nil
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if drop {
				return setPolicy(&p.storeOpener, cmd, func(s *engine.Store, session versions.SessionID) error {
					return review.DropPolicy(cmd.Context(), s, p.by, session)
				})
			}
			preset, ok := policy.ByName(args[0])
			if !ok {
				return misusef(cmd.CommandPath(), "%s: there is no such preset; use open, careful or review", args[0])
			}
			return setPolicy(&p.storeOpener, cmd, func(s *engine.Store, session versions.SessionID) error {
				return review.SetPolicy(cmd.Context(), s, p.by, session, preset.Text)
			})
		},
	}
	cmd.Flags().BoolVar(&drop, "clear", false, "apply the store's policy to the session again")
	return cmd
}

// setPolicy sets a policy of the store or of the session that --session names, and shows what holds
// then.
func setPolicy(p *storeOpener, cmd *cobra.Command, set func(*engine.Store, versions.SessionID) error) error {
	if err := p.mayDecide("set a policy"); err != nil {
		return err
	}
	return p.withStoreUnsynced(cmd.Context(), func(s *engine.Store) error {
		if err := set(s, versions.SessionID(p.session)); err != nil {
			return err
		}
		return showPolicies(cmd.Context(), &p.console, s)
	})
}

const maxPolicy = 64 << 10

func policySetCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "set FILE",
		Annotations: map[string]string{changes: always, filters: ""},
		Short:       "Set the policy to the rules in a file",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readPolicy(args[0])
			if err != nil {
				return err
			}
			return setPolicy(&p.storeOpener, cmd, func(s *engine.Store, session versions.SessionID) error {
				return review.SetPolicy(cmd.Context(), s, p.by, session, text)
			})
		},
	}
}

func readPolicy(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxPolicy+1))
	if err == nil && len(b) > maxPolicy {
		err = fmt.Errorf("%s: larger than %d KiB", name, maxPolicy>>10)
	}
	return string(b), err
}

func policyEditCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "edit",
		Annotations: map[string]string{changes: always, filters: ""},
		Short:       "Edit the policy in $EDITOR",
		RunE: func(cmd *cobra.Command, _ []string) error {
			editor, err := editorCommand(&p.storeOpener, cmd, "`memend policy set FILE` reads it from a file")
			if err != nil {
				return err
			}
			return setPolicy(&p.storeOpener, cmd, func(s *engine.Store, session versions.SessionID) error {
				return editPolicy(&p.caller, cmd, s, session, editor)
			})
		},
	}
}

func editPolicy(p *caller, cmd *cobra.Command, s *engine.Store, session versions.SessionID, editor string) error {
	now, err := review.PolicyOf(cmd.Context(), s, session)
	if err != nil {
		return err
	}
	text := now.String()
	if text == "" {
		text = policy.Presets[0].Text
	}
	d := draft{what: "edit the policy", name: "policy.txt", text: []byte(text)}
	d.again = func(file string) string {
		return fmt.Sprintf("; `memend policy set %s` sets it once it is valid", shellWord(file))
	}
	return d.edit(&p.console, cmd, s, editor, func(edited []byte) error {
		return review.SetPolicy(cmd.Context(), s, p.by, session, string(edited))
	})
}
