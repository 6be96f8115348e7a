package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// connection holds the flags of stores connect.
type connection struct {
	url, name   string
	create      bool
	description string
}

func storesConnectCommand(p *program) *cobra.Command {
	var c connection
	cmd := &cobra.Command{
		Use:         "connect [ID|NAME]",
		Annotations: map[string]string{changes: withName},
		Short:       "Connect a hosted store; without a name, list those of the service",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && strings.HasPrefix(args[0], "ssh://") {
				return &misuse{&hinted{fmt.Errorf("%s: memend does not connect stores by ssh any more", args[0]), "share a git repository: `memend sync URL` keeps a store in step with it"}, cmd.CommandPath()}
			}
			if c.create && len(args) == 0 {
				return misusef(cmd.CommandPath(), "--create: name the store to create")
			}
			service, err := hosted.New(c.url)
			if err != nil {
				return &misuse{err, cmd.CommandPath()}
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
				if len(args) == 0 {
					return listHosted(cmd.Context(), &p.console, t, service)
				}
				return connectStore(cmd.Context(), &p.caller, t, service, args[0], c)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.url, "url", "", "base `URL` of the service; default: the SDK's (ANTHROPIC_BASE_URL, or the hosted API)")
	flags.StringVar(&c.name, "name", "", "its `NAME` here; default: made from its name there")
	flags.BoolVar(&c.create, "create", false, "create a store at the service and connect it")
	flags.StringVar(&c.description, "description", "", "with --create: what the store is for (`TEXT`)")
	return cmd
}

type hostedJSON struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	CreatedAt   stamp             `json:"created_at"`
	ArchivedAt  stamp             `json:"archived_at,omitzero"`
	Here        string            `json:"connected_as,omitempty"` // the name of its replica
}

// listHosted prints the stores of a service.
func listHosted(ctx context.Context, p *console, t *engine.Trail, service *hosted.Service) error {
	offers, err := service.Offers(ctx, t)
	if err != nil {
		return err
	}
	for _, s := range offers {
		about := ""
		if s.Here.ID != "" {
			about += "  [connected as " + p.safe(s.Here.Name) + "]"
		}
		if !s.Archived.IsZero() {
			about += "  [archived]"
		}
		if s.Description != "" {
			about += "  " + p.safe(s.Description)
		}
		j := hostedJSON{s.ID, s.Name, s.Description, s.Metadata, stamp(s.Created), stamp(s.Archived), s.Here.Name}
		p.answer(j, "%s  %s  %s%s", p.safe(s.ID), when(s.Created), p.column(s.Name, 16), about)
	}
	if len(offers) == 0 && !p.json {
		fmt.Fprintf(p.err, "memend: %s has no stores; `memend stores connect --create NAME` creates one\n", p.safe(service.URL()))
	}
	return nil
}

func connectStore(ctx context.Context, p *caller, t *engine.Trail, service *hosted.Service, ref string, c connection) error {
	if c.create { // what is created at the service must find a place here
		if err := t.Make(ctx); err != nil {
			return err
		}
	}
	about, err := hostedStore(ctx, p, t, service, ref, c)
	var trouble *versions.UpstreamError
	if !c.create && errors.As(err, &trouble) && trouble.Trouble == versions.Offline {
		return &hinted{fmt.Errorf("connect store %s: %w", ref, err), "nothing was connected; check the address, and whether the machine can be reached"}
	}
	if c.create && errors.As(err, &trouble) && trouble.Unsure {
		return &hinted{fmt.Errorf("create store %s: %w", ref, err), "`memend stores connect` lists it if it was created: check before you repeat it"}
	}
	if err != nil {
		return err
	}
	if err := t.Make(ctx); err != nil {
		return err
	}
	progressCtx, endProgress := p.withProgress(ctx, "")
	info, got, err := service.Connect(progressCtx, t, p.by, about, c.name)
	endProgress()
	reportPulled(&p.console, got)
	if err != nil && info.ID != "" {
		return &hinted{fmt.Errorf("store %s is connected, but not all of it is here yet: %w", info.Name, err),
			"`memend stores mirror " + shellWord(info.Name) + "` continues where this ended"}
	}
	if err != nil && c.create {
		return &hinted{fmt.Errorf("store %s was created at the service, but not connected: %w", about.Name, err),
			"connect it by its id, " + about.ID}
	}
	if err != nil {
		return err
	}
	if info, err = t.FindStore(ctx, string(info.ID)); err != nil {
		return err
	}
	p.answer(storeOf(info), "connected %s as %s: %s", p.safe(about.Name), p.safe(info.Name), plural(got.Versions, "version"))
	if got.NoHistory && !p.json {
		fmt.Fprintln(p.err, "memend: the service keeps no versions (it has no /memory_versions): the history begins here, and each write reads the store first; what others write there in between may be lost")
	}
	return nil
}

// hostedStore returns the store of a service by id or name, or creates one.
func hostedStore(ctx context.Context, p *caller, t *engine.Trail, service *hosted.Service, ref string, c connection) (found versions.HostedStore, err error) {
	if c.create {
		return service.Make(ctx, t, p.by, ref, c.description, nil)
	}
	all, err := service.Stores(ctx)
	if err != nil {
		return found, err
	}
	n := 0
	for _, s := range all {
		switch ref {
		case s.ID:
			return s, nil
		case s.Name:
			found = s
			n++
		}
	}
	switch {
	case n > 1:
		return found, &hinted{fmt.Errorf("%d stores there have the name %s", n, ref), "name it by its id; `memend stores connect` lists them"}
	case n == 0:
		return found, &hinted{fmt.Errorf("%w at %s: %s", versions.ErrNoStore, service.URL(), ref), "`memend stores connect` lists the stores there, --create creates one"}
	}
	return found, nil
}

func storesDisconnectCommand(p *program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "disconnect STORE",
		Annotations:       map[string]string{changes: always},
		Short:             "Delete the replica of a hosted store; the store stays at its service",
		ValidArgsFunction: p.completeStores,
		RunE: func(cmd *cobra.Command, args []string) error {
			return endStore(&p.homeOpener, cmd, args[0], yes, false, func(info versions.StoreInfo) (string, error) {
				if !info.Hosted() {
					return "", misusef(cmd.CommandPath(), "store %s is not hosted; `memend stores delete` erases it", info.Name)
				}
				return "Delete the local copy of store " + info.Name + "? Versions that its service has dropped are lost.", nil
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	return cmd
}
