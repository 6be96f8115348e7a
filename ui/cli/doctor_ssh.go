package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/agent/ssh"
	"github.com/memend/memend/versions"
)

// connectionWait is how long doctor waits for the answer of a machine.
const connectionWait = 20 * time.Second

// checkConnections asks each machine that stores are connected to through ssh. All are asked at
// once: a machine that is switched off answers nothing.
func (p *invocation) checkConnections(ctx context.Context, f *findings, all []versions.StoreInfo) {
	connected := map[string][]versions.StoreInfo{}
	var machines []string
	for _, s := range all {
		if strings.HasPrefix(s.Upstream.URL, ssh.Scheme) && s.Archived.IsZero() {
			if connected[s.Upstream.URL] == nil {
				machines = append(machines, s.Upstream.URL)
			}
			connected[s.Upstream.URL] = append(connected[s.Upstream.URL], s)
		}
	}
	slices.Sort(machines)
	found := make([]findings, len(machines))
	var asked sync.WaitGroup
	for i, url := range machines {
		asked.Go(func() {
			checkConnection(ctx, &found[i], url, connected[url])
		})
	}
	asked.Wait()
	for _, one := range found {
		*f = append(*f, one...)
	}
}

// checkConnection asks the machine at a URL for its stores.
func checkConnection(ctx context.Context, f *findings, url string, connected []versions.StoreInfo) {
	ctx, stop := context.WithTimeout(ctx, connectionWait)
	defer stop()
	name := strings.TrimPrefix(url, ssh.Scheme)
	service, err := hosted.New(url)
	var offered []versions.HostedStore
	if err == nil {
		offered, err = service.Stores(ctx)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		f.add(levelWrong, "connection", name, unreachableHint(url), "no answer within %s", connectionWait)
		return
	case err != nil:
		what := err
		if trouble := (*versions.UpstreamError)(nil); errors.As(err, &trouble) && trouble.Err != nil {
			what = trouble.Err
		}
		do := hint(err)
		if unreachable := (*ssh.Error)(nil); errors.As(err, &unreachable) && unreachable.Hint == "" {
			do = unreachableHint(url)
		}
		f.add(levelWrong, "connection", name, do, "%v", what)
		return
	}
	here, there := release().Version, service.Release()
	level, do, version := levelOK, "", "memend "+there
	switch {
	case there == "":
		level, do, version = levelNote, "update memend there", "an older memend than this one"
	case there != here:
		level, do = levelNote, "the same version on both machines is the safest"
		version += fmt.Sprintf(" (here %s)", here)
	}
	f.add(level, "connection", name, do, "%s answers and offers %s", version, plural(len(offered), "store"))
	for _, s := range connected {
		if !slices.ContainsFunc(offered, func(o versions.HostedStore) bool { return o.ID == s.Upstream.Store }) {
			f.add(levelWrong, "store", s.Name, "what is here stays; `memend stores disconnect "+shellWord(s.Name)+"` removes it", "%s no longer offers it: it was deleted there, or this key has no access to it", name)
		}
	}
}

// unreachableHint says how to try the connection by hand.
func unreachableHint(url string) string {
	command := "ssh HOST"
	if target, _, err := ssh.Parse(url); err == nil {
		command = target.Command()
	}
	return "`" + command + " memend version` shows whether it can be reached; nothing is lost meanwhile: what changes in the folder is sent later"
}
