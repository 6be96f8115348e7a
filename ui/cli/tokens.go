package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions/engine"
)

func tokensCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "tokens",
		Annotations: map[string]string{overview: "for clients"},
		Short:       "Manage the tokens of clients that connect over HTTP",
		RunE:        func(cmd *cobra.Command, args []string) error { return listTokens(&p.console, &p.environment) },
	}
	create := &cobra.Command{
		Use:         "create NAME",
		Annotations: map[string]string{changes: always, creates: ""},
		Short:       "Create a token for a client and print it; it can't be shown again",
		RunE: func(cmd *cobra.Command, args []string) error {
			return administering(cmd.Context(), &p.homeOpener, func(book tokens.Book) error { return createToken(&p.console, book, args[0]) }) // opening the trail creates the home
		},
	}
	revoke := &cobra.Command{
		Use:         "revoke NAME",
		Annotations: map[string]string{changes: always},
		Short:       "Revoke the token of a client",
		RunE: func(cmd *cobra.Command, args []string) error {
			return administering(cmd.Context(), &p.homeOpener, func(book tokens.Book) error { return revokeToken(&p.console, book, args[0]) })
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			if book, err := tokenBook(&p.environment); err == nil {
				clients, _ := book.Clients()
				for _, c := range clients {
					names = append(names, c.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.AddCommand(create, revoke)
	return cmd
}

// administering runs do, unless the session works on attached stores only. The engine
// refuses everything else itself, but tokens are not part of the engine.
func administering(ctx context.Context, p *homeOpener, do func(tokens.Book) error) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		if err := t.MayAdminister(ctx, p.by); err != nil {
			return err
		}
		book, err := tokenBook(&p.environment)
		if err != nil {
			return err
		}
		return do(book)
	})
}

// tokenBook returns the tokens of the home.
func tokenBook(p *environment) (tokens.Book, error) {
	home, err := p.homeFolder()
	return tokens.In(home), err
}

type tokenJSON struct {
	Name   string `json:"name"`
	Issued stamp  `json:"created_at,omitzero"`
	Token  string `json:"token,omitempty"`
}

func createToken(p *console, book tokens.Book, name string) error {
	token, err := book.Issue(name)
	switch {
	case errors.Is(err, tokens.ErrName):
		return misusef("memend tokens create", "%v", err)
	case errors.Is(err, tokens.ErrExists):
		return &hinted{fmt.Errorf("create a token: %w", err), "`memend tokens revoke " + name + "` revokes it"}
	case err != nil:
		return fmt.Errorf("create a token: %w", err)
	}
	p.answer(tokenJSON{name, stamp(p.now()), token}, "%s", token)
	return nil
}

func listTokens(p *console, env *environment) error {
	book, err := tokenBook(env)
	if err != nil {
		return err
	}
	clients, err := book.Clients()
	if err != nil {
		return fmt.Errorf("list tokens: %w", err)
	}
	for _, c := range clients {
		p.answer(tokenJSON{Name: c.Name, Issued: stamp(c.Issued)}, "%s  %s", when(c.Issued), p.safe(c.Name))
	}
	if len(clients) == 0 && !p.json {
		fmt.Fprintln(p.err, "memend: no client has a token of its own; `memend tokens create NAME` creates one")
	}
	return nil
}

func revokeToken(p *console, book tokens.Book, name string) error {
	if err := book.Revoke(name); errors.Is(err, tokens.ErrNone) {
		return &hinted{fmt.Errorf("revoke a token: %w", err), "`memend tokens` lists those that have one"}
	} else if err != nil {
		return fmt.Errorf("revoke a token: %w", err)
	}
	p.answer(tokenJSON{Name: name}, "revoked the token of %s", p.safe(name))
	return nil
}
