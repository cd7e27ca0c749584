"""A record of a match to 5, of which three games were played or begun, without tags."""

MATCH_TO_5 = """\
 5 point match

 Game 1
 Ann : 0                        Bob : 0
  1) 31: 8/5 6/5                 42: 8/4 6/4
  2) 65: 24/18 18/13              Doubles => 2
  3)  Takes                      61: 13/7 8/7
      Wins 2 points

 Game 2
 Ann : 2                        Bob : 0
  1)                             31: 8/5 6/5
  2)  Doubles => 2                Drops
      Wins 1 point

 Game 3
 Ann : 3                        Bob : 0
  1) 21: 13/11 6/5
"""
