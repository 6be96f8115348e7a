package hosted

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/memend/memend/agent/ssh"
	"github.com/memend/memend/versions"
)

// transports holds the transport of each machine: all stores of this program share its connection.
var transports sync.Map // ssh.Target -> *ssh.Transport

// overSSH returns a client for the service that ssh starts on another machine. No key is sent: who
// may log in there may use it.
func overSSH(base string) (*Service, error) {
	target, store, err := ssh.Parse(base)
	if err == nil && store != "" {
		err = fmt.Errorf("%s names a store; the URL of a service is %s", base, target.URL())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", versions.ErrInvalid, err)
	}
	one, _ := transports.LoadOrStore(target, ssh.New(target, author()))
	t := one.(*ssh.Transport)
	c := &client{RoundTripper: t}
	h := &http.Client{Transport: c, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	sdk := anthropic.NewClient(option.WithMaxRetries(0), option.WithRequestTimeout(answerTimeout), option.WithHTTPClient(h),
		option.WithoutEnvironmentDefaults(), option.WithBaseURL("http://memend"), option.WithAPIKey("none"))
	return &Service{sdk: sdk, url: target.URL(), ssh: t, http: c, now: time.Now, sleep: sleep}, nil
}

// Login starts the connection to a service that ssh reaches. Only here may ssh ask for a password,
// or whether a host is the right one: later connections never prompt. Login does nothing for other
// services.
func (s *Service) Login(ctx context.Context) error {
	if s.ssh == nil {
		return nil
	}
	if err := s.ssh.Login(ctx); err != nil {
		return s.failure(err)
	}
	return nil
}

// OverSSH reports whether ssh reaches the service.
func (s *Service) OverSSH() bool { return s.ssh != nil }

// author returns the name that changes from this machine have at a service that ssh reaches: the
// person and the machine, such as dana@laptop. The service may record another one.
func author() string {
	name := "someone"
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username[strings.LastIndexByte(u.Username, '\\')+1:] // without the domain of Windows
	}
	host, err := os.Hostname()
	if host, _, _ = strings.Cut(host, "."); err != nil || host == "" {
		host = "unknown"
	}
	return name + "@" + host
}
