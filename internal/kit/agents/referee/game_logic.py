"""The rules of Even/Odd. Another game replaces this file."""

import secrets

GAME_TYPE = "even_odd"
OPTIONS = ("even", "odd")


def init_game_state():
    return {"choices": {}, "drawn_number": None}


def validate_choice(choice):
    return choice in OPTIONS


def draw_number():
    return 1 + secrets.randbelow(10)


def parity(number):
    return "even" if number % 2 == 0 else "odd"


def determine_winner(choices, number):
    """Return the player whose choice alone is right, or None for a draw."""
    right = [player for player, choice in choices.items() if choice == parity(number)]
    return right[0] if len(right) == 1 else None
