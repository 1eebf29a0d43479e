package io.psf.builtin.checkpoint;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.Workers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The clients that save or load models alone: one at a time for each model, and none beside workers. A hold whose
 * client is silent for {@link #SILENCE} is over, and so is each when a worker joins. What a client does with a hold
 * that is over is refused. Attached to the server for all models, used on its lane.
 */
final class ModelHolds implements MemberListener {
    /** How long a client may not renew its hold: many times the interval of its renewals. */
    static final Duration SILENCE = Duration.ofSeconds(30);

    /** The most models that clients hold or wait for at a time. */
    static final int MOST = 1024;

    private final Map<String, Hold> holds = new HashMap<>();
    private final Map<String, Deque<WaitingHolder>> waiting = new HashMap<>();
    /** The number of holds so far; the number of the latest. */
    private long last;

    /** A client's turn. */
    private static final class Hold {
        final long number;
        final WaitingHolder holder;

        @Nullable
        Future<?> timer;

        Hold(long number, WaitingHolder holder) {
            this.number = number;
            this.holder = holder;
        }
    }

    /** A client that waits for its turn, or has it. */
    private record WaitingHolder(CallInfo call, String work, CompletableFuture<HoldModel.Response> answer) {}

    static ModelHolds of(Node server) {
        return server.attachment("psf.model.holds", ModelHolds.class, ModelHolds::new);
    }

    /** Waits for the turn of a client. */
    CompletionStage<HoldModel.Response> take(String model, String work, Node server) {
        requireNoWorkers(model, work, Workers.of(server.members()));
        requireRoom(model, work);
        CompletableFuture<HoldModel.Response> answer = new DeferredAnswer<>(() -> waitsFor(model, work));
        waiting.computeIfAbsent(model, name -> new ArrayDeque<>()).add(new WaitingHolder(server.call(), work, answer));
        if (!holds.containsKey(model)) {
            next(model, server);
        }
        return answer;
    }

    private void requireRoom(String model, String work) {
        CheckpointPath.require("name of model", model);
        AtMost.requireName("work", work);
        Deque<WaitingHolder> before = waiting.get(model);
        if (before != null) {
            before.removeIf(each -> each.answer().isDone()); // given up
        } else if (!holds.containsKey(model)) {
            AtMost.requireOneMore(
                    "models that clients save or load, with \"" + model + "\"",
                    holds.size(),
                    MOST,
                    "a hold that is not renewed is over after " + SILENCE.toSeconds() + " s");
        }
    }

    private String waitsFor(String model, String work) {
        Hold before = holds.get(model);
        return before == null
                ? ""
                : work + " of model \"" + model + "\": another client is at the " + before.holder.work()
                        + " (expected: finished before the deadline)";
    }

    private static void requireNoWorkers(String model, String work, Set<Integer> workers) {
        if (!workers.isEmpty()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    work + " of model \"" + model + "\": by a client, beside " + workers.size()
                            + (workers.size() == 1 ? " worker" : " workers")
                            + " (expected: by all workers together; by a client where there are none)");
        }
    }

    CompletionStage<HoldModel.Response> renew(String model, long number, Node server) {
        Hold hold = require(model, number, server);
        expire(model, hold, server);
        return CompletableFuture.completedFuture(new HoldModel.Response(number));
    }

    /**
     * Checks that a client that changes checkpoints still holds the model.
     *
     * @param number the number of the hold; 0 for a worker, which needs none
     * @throws PsException with {@code BAD_REQUEST} if the cluster has workers; with {@code UNAVAILABLE} if the hold is
     *     over
     */
    void requireHeld(String model, long number, Node server) {
        if (number != 0) {
            var unused = require(model, number, server);
        }
    }

    private Hold require(String model, long number, Node server) {
        requireNoWorkers(model, "save or load", Workers.of(server.members()));
        Hold hold = holds.get(model);
        if (hold == null || hold.number != number) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "hold " + number + " of a client on the checkpoints of model \"" + model + "\": "
                            + (hold == null ? "over" : "over, another client has hold " + hold.number)
                            + " (expected: renewed within " + SILENCE.toSeconds() + " s, at a server that has not been"
                            + " lost since; try again)");
        }
        return hold;
    }

    void release(String model, long number, Node server) {
        Hold hold = holds.get(model);
        if (hold != null && hold.number == number) {
            holds.remove(model);
            next(model, server);
        }
    }

    /** Gives the next client its turn whose call has not ended meanwhile. */
    private void next(String model, Node server) {
        WaitingHolder turn = poll(model);
        while (turn != null) {
            Hold hold = new Hold(++last, turn);
            if (turn.answer().complete(new HoldModel.Response(hold.number))) {
                holds.put(model, hold);
                expire(model, hold, server);
                return;
            }
            turn = poll(model);
        }
        waiting.remove(model);
    }

    private @Nullable WaitingHolder poll(String model) {
        Deque<WaitingHolder> all = waiting.get(model);
        return all == null ? null : all.poll();
    }

    /** Ends a hold unless it is renewed in time. A hold has one timer, however often it is renewed. */
    private void expire(String model, Hold hold, Node server) {
        Future<?> before = hold.timer;
        if (before != null) {
            before.cancel(false);
        }
        hold.timer = server.after(SILENCE, () -> release(model, hold.number, server));
    }

    /** The workers have the model from now on. */
    @Override
    public void membersChanged(List<Member> members) {
        Set<Integer> workers = Workers.of(members);
        if (workers.isEmpty()) {
            return;
        }
        holds.clear();
        waiting.forEach((model, all) -> all.forEach(each -> {
            try {
                requireNoWorkers(model, each.work(), workers);
            } catch (PsException refused) {
                each.answer().completeExceptionally(refused);
            }
        }));
        waiting.clear();
    }
}
