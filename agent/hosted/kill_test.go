package hosted_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// victimEnv makes the test's own program a process that writes until it is killed;
// stepEnv names a step of the engine at which it kills itself sooner or later.
const (
	victimEnv = "MEMEND_TEST_VICTIM"
	stepEnv   = "MEMEND_TEST_VICTIM_STEP"
	seedEnv   = "MEMEND_TEST_VICTIM_SEED" // a number: what the victim chooses at random depends on it
)

var killRounds = flag.Int("hosted.kills", 3, "rounds of killed processes")

func TestMain(m *testing.M) {
	switch home := os.Getenv(victimEnv); {
	case home != "" && os.Getenv(redactEnv) != "":
		beRedactor(home, os.Getenv(redactEnv))
	case home != "":
		beVictim(home)
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS", "MEMEND_API_KEY"} {
		if err := os.Unsetenv(name); err != nil { // no test uses a person's credentials
			panic(err)
		}
	}
	os.Exit(ramdisk.Tests(m).AtOnce(2).Run())
}

// beVictim writes memories of a hosted store, and says what was acknowledged.
func beVictim(home string) {
	ctx := context.Background()
	seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	if err != nil {
		panic(err)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	t, err := engine.Open(ctx, home, versions.Options{Upstream: hosted.Dial, Hook: dieAt(os.Getenv(stepEnv), rand.New(rand.NewPCG(seed, 1)))})
	if err != nil {
		panic(err)
	}
	info, err := t.FindStore(ctx, "team")
	if err != nil {
		panic(err)
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		panic(err)
	}
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: fmt.Sprint("victim-", os.Getpid())}}
	for n := 0; ; n++ {
		p := path(fmt.Sprintf("/m%d.md", random.IntN(6)))
		c, err := s.Write(ctx, by, p, fmt.Appendf(nil, "%d of %d\n", n, os.Getpid()), versions.Pre{})
		if err != nil {
			fmt.Println("error", err)
			continue
		}
		c, vs, err := history.Change(ctx, s, c.Number)
		if err != nil || len(vs) != 1 || c.Actor != by.Actor {
			fmt.Println("wrong: acknowledged as", c, vs, err)
			continue
		}
		fmt.Println("ack", vs[0].ID)
	}
}

// dieAt kills this process at a step, the fourth time on the average.
func dieAt(step string, random *rand.Rand) func(string) error {
	var mu sync.Mutex
	dies := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return random.IntN(4) == 0
	}
	return func(at string) error {
		if at == step && dies() {
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
				select {} // until it is dead
			}
		}
		return nil
	}
}

// notFound holds that nothing was taken for another program's: none has written.
func (w *world) notFound() {
	w.t.Helper()
	last, err := w.here.LastChange(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for n := int64(1); n <= last; n++ {
		if c, vs, err := history.Change(context.Background(), w.here, n); err != nil || c.Kind == versions.KindAdopt {
			w.t.Errorf("%+v, %+v, %v: nobody has written to the folder", c, vs, err)
		}
	}
}

// Two processes write one hosted store and are killed at any moment, between the
// service's answer and its taking in too, one of them now and then by itself: what they were told is done is there, as
// theirs, the replica ends as the service, and nothing is there twice.
func TestKilledProcessesLoseNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	acked := map[versions.VersionID]bool{}
	steps := []string{"after-intent-commit", "before-final-commit", "before-intent-commit"}
	t.Logf("-hosted.seed=%d", *modelSeed)
	random := rand.New(rand.NewPCG(*modelSeed, 2))
	for round := range *killRounds {
		var wg sync.WaitGroup
		var mu sync.Mutex
		for _, step := range []string{"", steps[round%len(steps)]} {
			life := time.Duration(random.IntN(300)) * time.Millisecond
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), victimEnv+"="+w.home, stepEnv+"="+step, fmt.Sprintf("%s=%d", seedEnv, random.Uint64()))
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				began := false
				for lines := bufio.NewScanner(out); lines.Scan(); {
					id, ok := strings.CutPrefix(lines.Text(), "ack ")
					if strings.HasPrefix(lines.Text(), "wrong") {
						t.Error(lines.Text())
					} else if !ok {
						t.Log(lines.Text())
					}
					if !ok {
						continue
					}
					mu.Lock()
					acked[versions.VersionID(id)] = true
					mu.Unlock()
					if !began {
						began = true
						time.AfterFunc(life, func() { _ = cmd.Process.Kill() })
					}
				}
				_ = cmd.Wait()
			})
		}
		wg.Wait()
		w.close()
		w.open()
		w.check()
		w.agree()
		w.notFound()
	}
	if len(acked) < *killRounds {
		t.Errorf("only %d writes were acknowledged", len(acked))
	}
	for id := range acked {
		for _, s := range []*engine.Store{w.store, w.here} {
			if _, err := history.Version(t.Context(), s, id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	t.Logf("%d acknowledged", len(acked))
}
