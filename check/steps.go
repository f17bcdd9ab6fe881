package check

import (
	"slices"

	"agentleague/protocol"
)

// Steps lists the steps for a role, in order.
func Steps(role protocol.Role) []Step {
	switch role {
	case protocol.RolePlayer:
		return slices.Concat(wireSteps("P"), registrationSteps("P", protocol.TypeLeagueRegisterRequest),
			matchSteps(), newsSteps(), faultSteps(), closingSteps("P"), lastPlayerSteps())
	case protocol.RoleReferee:
		return slices.Concat(wireSteps("R"), registrationSteps("R", protocol.TypeRefereeRegisterRequest),
			fairSteps(), forfeitSteps(), orderSteps(), closingSteps("R"), lastRefereeSteps())
	case protocol.RoleManager:
		return slices.Concat(wireSteps("M"), admissionSteps(), querySteps(), queryFaults(), reportSteps(), closingSteps("M"))
	}
	return nil
}
