package format

type stub struct{}

func (stub) Check(s Settings) error                  { return checkCommon(s) }
func (stub) Next(Settings, Field) (Round, bool)      { return Round{}, false }
func (stub) Horizon(Settings, Field) (int, bool)     { return 0, false }
func (stub) Rank(Settings, Field) []Place            { return nil }
func (stub) Joinable(Settings, Field) error          { return nil }
func (stub) Waits() bool                             { return false }
func (stub) Explain(Settings, Field, Round) []Reason { return nil }

type roundRobin struct{ stub }
type swiss struct{ stub }
type gauntlet struct{ stub }
type knockout struct{ stub }
type ladder struct{ stub }

func (roundRobin) Name() string { return "round_robin/1" }
func (swiss) Name() string      { return "swiss/1" }
func (gauntlet) Name() string   { return "gauntlet/1" }
func (knockout) Name() string   { return "knockout/1" }
func (ladder) Name() string     { return "ladder/1" }

func discounted(Settings, Field, Player) bool { return false }
