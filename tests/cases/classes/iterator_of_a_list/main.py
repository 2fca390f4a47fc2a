class Team:
    def __init__(self, *members):
        self.members = list(members)

    def __iter__(self):
        return iter(self.members)


class Player:
    def play(self):
        pass


for player in Team(Player(), Player()):
    player.play()
