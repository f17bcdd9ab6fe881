"""The referee: it registers, plays the matches that its manager assigns, and reports them."""

import random
import threading
import time

import game_logic
import wire

JOIN_SECONDS, MOVE_SECONDS, OTHER_SECONDS = 5, 30, 10
RETRIES, PAUSE = 3, 2
RETRYABLE = ("E001", "E009")


class Referee:
    def __init__(self, name, manager, endpoint):
        self.name, self.manager, self.endpoint = name, manager, endpoint
        self.id, self.token, self.league = "", "", ""
        self.lock, self.matches, self.reporting = threading.Lock(), {}, []
        self.over = threading.Event()
        self.handlers = {
            "start_match": self.start_match, "get_match_state": self.get_match_state,
            "notify_league_completed": self.league_completed, "register_to_league": self.register_to_league,
        }

    def sender(self):
        return f"referee:{self.id or self.name.lower().replace(' ', '-')}"

    def register_to_league(self, _params=None):
        """Register with the manager until it answers."""
        meta = {"display_name": self.name, "version": "1.0.0", "protocol_version": "2.1.0", "game_types": [game_logic.GAME_TYPE],
                "contact_endpoint": self.endpoint, "max_concurrent_matches": 2}
        while True:
            request = wire.message("REFEREE_REGISTER_REQUEST", self.sender(), f"conv-ref-reg-{random.getrandbits(48):x}",
                                   referee_meta=meta)
            try:
                answer = wire.call(self.manager, "register_referee", request, OTHER_SECONDS)
            except wire.CallError as error:
                if error.code not in RETRYABLE:
                    raise SystemExit(f"the manager refused the registration: {error.detail}") from None
                print(f"not registered yet: {error.detail}", flush=True)
                time.sleep(PAUSE)
                continue
            if answer.get("status") not in ("ACCEPTED", "REGISTERED"):
                raise SystemExit(f"the manager refused the registration: {answer.get('reason')}")
            self.id, self.token, self.league = answer["referee_id"], answer["auth_token"], answer.get("league_id", "")
            print(f"{self.name} is {self.id} in {self.league}", flush=True)
            return answer

    def start_match(self, order):
        """Take a match, and play it after the answer. A repeated order is only acknowledged."""
        wire.need(order, "match_id", "player_A.id", "player_A.endpoint", "player_B.id", "player_B.endpoint")
        key = (order["match_id"], order.get("attempt", 1))
        with self.lock:
            known = key in self.matches
            if not known:
                self.matches[key] = Match(self, order)
                threading.Thread(target=self.matches[key].play, daemon=True).start()
        return wire.message("START_MATCH_ACK", self.sender(), order.get("conversation_id", "conv-start"), status="ACCEPTED",
                            match_id=order["match_id"])

    def get_match_state(self, params):
        wire.need(params, "match_id")
        for (match_id, attempt), match in reversed(self.matches.items()):
            if match_id == params["match_id"]:
                return wire.message("MATCH_STATE", self.sender(), params.get("conversation_id", "conv-state"), match_id=match_id,
                                    attempt=attempt, state=match.state, game_type=game_logic.GAME_TYPE)
        raise wire.LeagueError("E006", "MATCH_NOT_FOUND", 4003, f"no match {params['match_id']!r} was assigned to this referee")

    def league_completed(self, params):
        self.over.set()
        return wire.message("LEAGUE_COMPLETED_ACK", self.sender(), params.get("conversation_id", "conv-end"),
                            status="ACKNOWLEDGED")

    def report(self, report):
        """Report a result until the manager takes it or refuses it."""
        while True:
            try:
                wire.call(self.manager, "report_match_result", report, OTHER_SECONDS)
                return
            except wire.CallError as error:
                if error.code not in RETRYABLE:
                    print(f"the manager refused the result of {report['match_id']}: {error.detail}", flush=True)
                    return
                time.sleep(PAUSE)


class Match:
    def __init__(self, referee, order):
        self.referee, self.order, self.state = referee, order, "WAITING_FOR_PLAYERS"
        self.players = [order["player_A"], order["player_B"]]
        self.conversation = f"conv-{order['match_id'].lower()}-{order.get('attempt', 1):03d}-{random.getrandbits(48):x}"

    def play(self):
        order, ids = self.order, [player["id"] for player in self.players]
        lost = self.ask("handle_game_invitation", "GAME_INVITATION", JOIN_SECONDS, self.invitation, self.joined)[1]
        choices, number = {}, None
        if not lost:
            self.state = "COLLECTING_CHOICES"
            choices, lost = self.ask("choose_parity", "CHOOSE_PARITY_CALL", MOVE_SECONDS, self.question, self.choice)
        if lost:
            winner = next((player for player in ids if player not in lost), None)
            status, reason = "TECHNICAL_LOSS", "; ".join(f"{player} forfeited: {why}" for player, why in lost.items())
            points = {player: 3 if player == winner else 0 for player in ids}
        else:
            self.state, number = "DRAWING_NUMBER", game_logic.draw_number()
            winner = game_logic.determine_winner(choices, number)
            status = "WIN" if winner else "DRAW"
            drawn = f"number was {number} ({game_logic.parity(number)})"
            reason = f"{winner} chose {choices[winner]}, {drawn}" if winner else f"both chose {choices[ids[0]]}, {drawn}"
            points = {player: 1 if not winner else 3 if player == winner else 0 for player in ids}
        parity = game_logic.parity(number) if number else None
        chosen = {player: choices.get(player) if not lost else None for player in ids}
        self.state = "FINISHED"
        result = {"status": status, "winner_player_id": winner, "drawn_number": number, "number_parity": parity, "choices": chosen,
                  "reason": reason}
        for player in self.players:
            self.tell(player, "notify_match_result", "GAME_OVER", game_type=game_logic.GAME_TYPE, game_result=result)
        print(f"{order['match_id']}: {reason}", flush=True)
        self.referee.report(wire.message(
            "MATCH_RESULT_REPORT", self.referee.sender(), f"conv-{order['match_id'].lower()}-report", self.referee.token,
            league_id=order.get("league_id", self.referee.league), round_id=order.get("round_id", 1), match_id=order["match_id"],
            game_type=game_logic.GAME_TYPE, attempt=order.get("attempt", 1),
            result={"winner": winner, "score": points,
                    "details": {"drawn_number": number, "number_parity": parity, "choices": chosen, "status": status,
                                "reason": reason, **({"forfeits": {p: why[:4] for p, why in lost.items()}} if lost else {})}}))

    def message(self, player, message_type, **members):
        order = self.order
        return wire.message(message_type, self.referee.sender(), self.conversation, player.get("token", ""),
                            league_id=order.get("league_id", self.referee.league), round_id=order.get("round_id", 1),
                            match_id=order["match_id"], player_id=player["id"], attempt=order.get("attempt", 1), **members)

    def opponent(self, player):
        return next(other["id"] for other in self.players if other is not player)

    def invitation(self, player):
        role = "PLAYER_A" if player is self.players[0] else "PLAYER_B"
        return {"game_type": game_logic.GAME_TYPE, "role_in_match": role, "opponent_id": self.opponent(player)}

    def question(self, player):
        standings = player.get("standings") or {"wins": 0, "losses": 0, "draws": 0, "points": 0}
        due = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + MOVE_SECONDS + 1))
        return {"game_type": game_logic.GAME_TYPE, "deadline": due,
                "context": {"opponent_id": self.opponent(player), "round_id": self.order.get("round_id", 1),
                            "your_standings": standings}}

    @staticmethod
    def joined(answer):
        if answer.get("accept") is not True:
            raise wire.CallError("E002", "INVALID_MESSAGE", "the player did not accept the invitation")
        return True

    @staticmethod
    def choice(answer):
        choice = answer.get("parity_choice")
        if not game_logic.validate_choice(choice):
            raise wire.CallError("E004", "INVALID_PARITY_CHOICE", 'parity_choice is neither "even" nor "odd"')
        return choice

    def ask(self, method, message_type, seconds, members, read):
        """Ask both players at the same time. Returns the answers, and for each player without one the reason."""
        answers, lost = {}, {}

        def one(player):
            for tried in range(RETRIES + 1):
                try:
                    asked = self.message(player, message_type, **members(player))
                    answers[player["id"]] = read(wire.call(player["endpoint"], method, asked, seconds))
                    return
                except wire.CallError as error:
                    again = error.code in RETRYABLE and tried < RETRIES
                    self.complain(player, message_type, error, tried, again)
                    if not again:
                        lost[player["id"]] = f"{error.code} {error.detail}"
                        return
                    time.sleep(PAUSE)

        threads = [threading.Thread(target=one, args=(player,)) for player in self.players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers, lost

    def complain(self, player, message_type, error, tried, again):
        answers = {"GAME_INVITATION": "GAME_JOIN_ACK", "CHOOSE_PARITY_CALL": "CHOOSE_PARITY_RESPONSE"}
        self.tell(player, "notify_game_error", "GAME_ERROR", affected_player=player["id"], error_code=error.code,
                  error_name=error.name, error_description=error.name, game_state=self.state,
                  action_required=answers[message_type], retryable=again, retry_count=tried, max_retries=RETRIES,
                  consequence="Technical loss if no response after retries")

    def tell(self, player, method, message_type, **members):
        try:
            wire.call(player["endpoint"], method, self.message(player, message_type, **members), JOIN_SECONDS)
        except wire.CallError:
            pass  # no answer is expected
