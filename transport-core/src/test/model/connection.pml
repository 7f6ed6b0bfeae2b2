/*
 * One direction of transactions over a connection, for spin: windows, credit, grants, completions
 * and close over a channel that loses, repeats and reorders. Side A begins MESSAGES pushes, side B
 * serves them with an application that may stop reading for ever. docs/reference/proofs.md says
 * what is checked and with which command; docs/reference/protocol.md sections 10 to 19 are what is
 * modelled.
 *
 * Windows hold 4 packets, PSNs count modulo 8 and start at 6, so that they wrap. The number of
 * losses and repetitions is bounded, their places are not. Each BUG_ takes a rule away; spin must
 * then find an error. A timer is `timeout`: it expires when nothing else can happen, which is the
 * latest; that it may expire earlier is what the repetitions stand for.
 */

#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef REPEATS
#define REPEATS 1
#endif
#ifndef SOLICITED
#define SOLICITED 2             /* bit m: push m is solicited */
#endif
#ifndef CREDIT
#define CREDIT 1                /* unsolicited pushes that B has room for */
#endif
#define CAPACITY 2              /* packets on their way in each direction */
#define WINDOW 4
#define MODULO 8
#define FIRST 6

/* The windows, by their sender. */
#define A_DATA 0
#define A_REQUEST 1
#define B_DATA 2

/* What travels: numbered packets by their window, then the others. */
#define ACK 3                   /* base, mask, base, mask of the two windows that are received; credit limit */
#define PING 4
#define PONG 5                  /* credit limit */
#define CLOSE 6
#define CLOSE_ACK 7

/* Records. */
#define PUSH 1                  /* m: whole, unsolicited */
#define ASK 2                   /* m */
#define GRANT 3                 /* m */
#define SOLICITED_DATA 4        /* m: whole */
#define COMPLETED 5             /* base: all below have ended */
#define FIN 6

chan to_b = [CAPACITY] of { byte, byte, byte, byte, byte, byte };
chan to_a = [CAPACITY] of { byte, byte, byte, byte, byte, byte };

byte losses = LOSSES;
byte repeats = REPEATS;

/* Senders: the lowest unacknowledged PSN, the next one, what each unacknowledged one carries. */
byte tx_base[3];
byte tx_next[3];
byte tx_acked[3];               /* by PSN */
byte tx_type[24];
byte tx_arg[24];

/* Receivers: the lowest PSN not received, and which above it were. */
byte rx_base[3];
byte rx_mask[3];

/* A. */
byte submitted = 0;             /* pushes paid for, in order: their number is the next RSN */
byte asked = 0;                 /* bits */
byte sent = 0;                  /* bits: all of it has left */
byte granted = 0;               /* bits */
byte limit = CREDIT;            /* as far as A knows */
byte charged = 0;
byte ended = 0;                 /* pushes handed up as completed, in order */
bool a_fin = false;
bool b_fin_seen = false;
bool close_sent = false;
bool a_closed = false;

/* B. */
byte arrived = 0;               /* bits: whole messages that are there */
byte wanted = 0;                /* bits: asked for and not granted */
byte delivered = 0;             /* messages with the application, in order */
byte taken = 0;                 /* of these, whose bytes it has taken: the credit comes back */
byte completed = 0;             /* of these, that it has acknowledged */
byte told = 0;                  /* the base that a COMPLETED has carried */
byte limit_b = CREDIT;
byte held = 0;                  /* unsolicited pushes received and not taken */
byte budget = 1;                /* solicited pushes that may be granted */
bool stopped = false;           /* the application reads no more */
bool b_fin = false;
bool a_fin_seen = false;
bool b_closed = false;
bool b_owes = false;
bool a_owes = false;

#define IS_SOLICITED(m) ((SOLICITED >> (m)) & 1)
#define DISTANCE(from, to) (((to) + MODULO - (from)) % MODULO)
#define HAS_ROOM(w) (DISTANCE(tx_base[w], tx_next[w]) < WINDOW)
#ifdef BUG_ONE_TOO_MANY
#define HAS_CREDIT (charged <= limit)
#else
#define HAS_CREDIT (charged < limit)
#endif
#define IS_IDLE(w) (tx_base[w] == tx_next[w])
/* The application reads no more, and all else is done: so it stays. */
#define STUCK_FOR_GOOD (timeout && stopped && !close_sent && IS_IDLE(A_DATA) && IS_IDLE(A_REQUEST) && IS_IDLE(B_DATA) && !IS_ASKING)
#define IS_ASKING (submitted < MESSAGES && !IS_SOLICITED(submitted) && charged == limit)
#define BIT(mask, i) (((mask) >> (i)) & 1)

inline put(c, a1, a2, a3, a4, a5, a6) {
  if
  :: losses > 0 -> losses--
  :: c ! a1, a2, a3, a4, a5, a6
  fi
}

/* The packet of a PSN leaves, for the first time or again: its records are the same. */
inline transmit(c, w, psn) {
  put(c, w, psn, tx_type[(w) * MODULO + (psn)], tx_arg[(w) * MODULO + (psn)], 0, 0)
}

inline number(c, w, type, arg) {
  assert(HAS_ROOM(w));
  tx_type[(w) * MODULO + tx_next[w]] = type;
  tx_arg[(w) * MODULO + tx_next[w]] = arg;
  tx_acked[w] = tx_acked[w] & ~(1 << tx_next[w]);
  transmit(c, w, tx_next[w]);
  tx_next[w] = (tx_next[w] + 1) % MODULO
}

/* Takes a packet out of a channel: the first, or the second before it, and maybe leaves it there to
 * come again. */
inline get(c, a1, a2, a3, a4, a5, a6) {
  if
  :: len(c) > 1 -> c ? a1, a2, a3, a4, a5, a6; c ! a1, a2, a3, a4, a5, a6
  :: true
  fi;
  if
  :: repeats > 0 -> repeats--; c ? < a1, a2, a3, a4, a5, a6 >
  :: c ? a1, a2, a3, a4, a5, a6
  fi
}

/* A numbered packet reaches its receive window: is_new says whether it is to be read. */
inline receive(w, psn) {
  is_new = false;
  if
#ifdef BUG_NO_DEDUPLICATION
  :: DISTANCE(rx_base[w], psn) < WINDOW ->
#else
  :: DISTANCE(rx_base[w], psn) < WINDOW && !BIT(rx_mask[w], psn) ->
#endif
    is_new = true;
    rx_mask[w] = rx_mask[w] | (1 << psn);
    do
    :: BIT(rx_mask[w], rx_base[w]) ->
      rx_mask[w] = rx_mask[w] & ~(1 << rx_base[w]);
      rx_base[w] = (rx_base[w] + 1) % MODULO
    :: else -> break
    od
  :: else
  fi
}

/* What an ACK says of a window; one whose base is behind what is known is stale. */
inline acknowledge(w, base, mask) {
  if
  :: DISTANCE(tx_base[w], base) <= DISTANCE(tx_base[w], tx_next[w]) ->
    tx_acked[w] = tx_acked[w] | mask;
    do
    :: tx_base[w] != tx_next[w] && (tx_base[w] != base || BIT(tx_acked[w], tx_base[w])) ->
      if
      :: tx_base[w] == base -> base = (base + 1) % MODULO
      :: else
      fi;
      tx_acked[w] = tx_acked[w] & ~(1 << tx_base[w]);
      tx_base[w] = (tx_base[w] + 1) % MODULO
    :: else -> break
    od
  :: else
  fi
}

inline believe(l) {
  if
  :: l > limit -> limit = l
  :: else
  fi
}

proctype A() {
  byte kind, x, y, z, u, v;
  bool is_new;

  do
  /* Done. */
  :: a_closed -> break
  :: STUCK_FOR_GOOD -> break
  /* The next push, in order: paid for, asked for, or not at all yet. */
  :: atomic {
      submitted < MESSAGES && IS_SOLICITED(submitted) && HAS_ROOM(A_REQUEST) && nfull(to_b) ->
      number(to_b, A_REQUEST, ASK, submitted);
      asked = asked | (1 << submitted);
      submitted++
    }
  :: atomic {
      submitted < MESSAGES && !IS_SOLICITED(submitted) && HAS_CREDIT && HAS_ROOM(A_DATA) && nfull(to_b) ->
      charged++;
      number(to_b, A_DATA, PUSH, submitted);
      sent = sent | (1 << submitted);
      submitted++
    }
  /* What was granted. */
  :: atomic {
      (granted & ~sent) != 0 && HAS_ROOM(A_DATA) && nfull(to_b) ->
      x = 0;
      do
      :: !BIT(granted & ~sent, x) -> x++
      :: else -> break
      od;
      number(to_b, A_DATA, SOLICITED_DATA, x);
      sent = sent | (1 << x);
      x = 0
    }
  /* Nothing more to begin. */
  :: atomic {
      submitted == MESSAGES && !a_fin && HAS_ROOM(A_DATA) && nfull(to_b) ->
      number(to_b, A_DATA, FIN, 0);
      a_fin = true
    }
  :: atomic {
      a_owes && nfull(to_b) -> a_owes = false;
      put(to_b, ACK, rx_base[B_DATA], rx_mask[B_DATA], 0, 0, 0)
    }
  /* Both FINs are through, all has ended and was acknowledged. */
  :: atomic {
#ifdef BUG_CLOSE_EARLY
      a_fin && !close_sent && nfull(to_b) ->
#else
      a_fin && b_fin_seen && ended == MESSAGES && !close_sent &&
        IS_IDLE(A_DATA) && IS_IDLE(A_REQUEST) && nfull(to_b) ->
#endif
      close_sent = true;
      put(to_b, CLOSE, tx_next[A_DATA], tx_next[A_REQUEST], 0, 0, 0)
    }
  :: atomic {
      len(to_a) > 0 ->
      get(to_a, kind, x, y, z, u, v);
      if
      :: kind == B_DATA ->
        a_owes = true;
        receive(B_DATA, x);
        if
        :: is_new && y == GRANT -> assert(BIT(asked, z)); granted = granted | (1 << z)
        :: is_new && y == COMPLETED ->
          assert(z <= submitted);
          do
          :: ended < z -> assert(BIT(sent, ended)); ended++
          :: else -> break
          od
        :: is_new && y == FIN -> b_fin_seen = true
        :: !is_new
        fi
      :: kind == ACK -> acknowledge(A_DATA, x, y); acknowledge(A_REQUEST, z, u); believe(v)
      :: kind == PONG -> believe(x)
      :: kind == CLOSE_ACK -> assert(close_sent); a_closed = true
      fi;
      kind = 0; x = 0; y = 0; z = 0; u = 0; v = 0; is_new = false
    }
  /* The ADP timer: the oldest of a window again. */
  :: atomic { timeout && !IS_IDLE(A_DATA) -> transmit(to_b, A_DATA, tx_base[A_DATA]) }
  :: atomic { timeout && !IS_IDLE(A_REQUEST) -> transmit(to_b, A_REQUEST, tx_base[A_REQUEST]) }
  :: atomic {
      timeout && close_sent && !a_closed ->
      put(to_b, CLOSE, tx_next[A_DATA], tx_next[A_REQUEST], 0, 0, 0)
    }
#ifndef BUG_NO_PING
  /* No credit, and nothing unacknowledged that would bring it: the peer is asked. */
  :: atomic {
      timeout && IS_ASKING && IS_IDLE(A_DATA) && IS_IDLE(A_REQUEST) ->
      put(to_b, PING, 0, 0, 0, 0, 0)
    }
#endif
  od
}

proctype B() {
  byte kind, x, y, z, u, v;
  bool is_new;

  do
  /* Done: A has heard so, and repeats nothing. */
  :: b_closed && a_closed -> break
  :: STUCK_FOR_GOOD -> break
  /* In RSN order to the application. */
  :: atomic { delivered < MESSAGES && BIT(arrived, delivered) -> delivered++ }
  /* The application takes, acknowledges, or stops for ever. */
  :: atomic {
      !stopped && taken < delivered ->
      if
      :: IS_SOLICITED(taken) -> budget++
      :: else -> assert(held > 0); held--; limit_b++
      fi;
      taken++
    }
  :: atomic { !stopped && completed < taken -> completed++ }
#ifdef MAY_STOP
  :: atomic { !stopped -> stopped = true }
#endif
  :: atomic {
      wanted != 0 && budget > 0 && HAS_ROOM(B_DATA) && nfull(to_a) ->
      x = 0;
      do
      :: !BIT(wanted, x) -> x++
      :: else -> break
      od;
      budget--;
      wanted = wanted & ~(1 << x);
      number(to_a, B_DATA, GRANT, x);
      x = 0
    }
  :: atomic {
      told < completed && HAS_ROOM(B_DATA) && nfull(to_a) ->
      told = completed;
      number(to_a, B_DATA, COMPLETED, told)
    }
  :: atomic {
      a_fin_seen && !b_fin && HAS_ROOM(B_DATA) && nfull(to_a) ->
      number(to_a, B_DATA, FIN, 0);
      b_fin = true
    }
  :: atomic {
      b_owes && nfull(to_a) -> b_owes = false;
      put(to_a, ACK, rx_base[A_DATA], rx_mask[A_DATA], rx_base[A_REQUEST], rx_mask[A_REQUEST], limit_b)
    }
  :: atomic {
      len(to_b) > 0 && nfull(to_a) ->
      get(to_b, kind, x, y, z, u, v);
      if
      :: kind == A_DATA || kind == A_REQUEST ->
        assert(!b_closed || DISTANCE(rx_base[kind], x) >= WINDOW || BIT(rx_mask[kind], x));
        b_owes = true;
        receive(kind, x);
        if
        :: is_new && y == PUSH ->
          held++;
          assert(held <= CREDIT);          /* never overrun */
          assert(!BIT(arrived, z));        /* never twice */
          arrived = arrived | (1 << z)
        :: is_new && y == ASK -> wanted = wanted | (1 << z)
        :: is_new && y == SOLICITED_DATA ->
          assert(!BIT(arrived, z));
          arrived = arrived | (1 << z)
        :: is_new && y == FIN -> a_fin_seen = true
        :: !is_new
        fi
      :: kind == ACK -> acknowledge(B_DATA, x, y)
      :: kind == PING -> put(to_a, PONG, limit_b, 0, 0, 0, 0)
      :: kind == CLOSE ->
        /* Answered once everything below its final PSNs is here; repeated as often as it comes. */
        if
#ifdef BUG_CLOSE_EARLY
        :: true ->
#else
        :: rx_base[A_DATA] == x && rx_base[A_REQUEST] == y ->
#endif
          assert(completed == MESSAGES);
          b_closed = true;
          put(to_a, CLOSE_ACK, 0, 0, 0, 0, 0)
        :: else
        fi
      fi;
      kind = 0; x = 0; y = 0; z = 0; u = 0; v = 0; is_new = false
    }
#ifndef BUG_NO_RESEND_AT_TARGET
  :: atomic { timeout && !b_closed && !IS_IDLE(B_DATA) -> transmit(to_a, B_DATA, tx_base[B_DATA]) }
#endif
  od
}

init {
  byte w;
  atomic {
    for (w : 0 .. 2) {
      tx_base[w] = FIRST;
      tx_next[w] = FIRST;
      rx_base[w] = FIRST;
    }
    w = 0;
    run A();
    run B();
  }
}
