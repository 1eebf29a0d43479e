package io.psf.builtin.internal.training;

import io.psf.api.Caller;
import io.psf.api.DeferredAnswer;
import io.psf.api.DeferredAnswer.Reason;
import io.psf.api.Member;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.Stages;
import io.psf.builtin.push.WaitingCalls;
import io.psf.builtin.push.Workers;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The workers that have ended the epoch and wait for the others. Attached to the server that leads the ends of epochs,
 * used on its lane. An epoch ends once, when all workers that are present have ended it here: what other servers know
 * of the members does not matter. No worker is answered before all servers wait for all workers again.
 */
final class Epochs extends WaitingCalls implements Metered {
    private final StoredNode server;
    /** By worker, the call that waits. */
    private final Map<Integer, Call> calls = new TreeMap<>();
    /** Those of the workers that no server waits for. */
    private final Set<Integer> ended = new TreeSet<>();
    /** By worker, the end of which its call has not been answered. */
    private final Map<Integer, BeginEpoch.Request> unanswered = new TreeMap<>();
    /** The workers that have joined and do not train yet. */
    private final Set<Integer> paused = new HashSet<>();
    /** The number of the last epoch that has ended. */
    private long number;

    /**
     * A call of a worker.
     *
     * @param caller calls all servers on behalf of it
     */
    private record Call(Caller caller, CompletableFuture<EndEpoch.Response> answer) {
        boolean waits() {
            return !answer.isDone();
        }
    }

    private Epochs(StoredNode server) {
        super(server::members);
        this.server = server;
    }

    static Epochs of(StoredNode server) {
        return server.attachment("psf.epochs", Epochs.class, () -> new Epochs(server));
    }

    CompletionStage<EndEpoch.Response> end(int worker, Caller caller) {
        requireNotAbandoned();
        Call call = new Call(caller, new DeferredAnswer<>(Reason.of(this::waitsFor, this::missing)));
        Call before = calls.put(worker, call);
        ended.remove(worker);
        if (before != null) {
            before.answer()
                    .completeExceptionally(
                            new PsException(PsException.Code.CANCELLED, "end of an epoch: called again by its worker"));
        }
        BeginEpoch.Request missed = unanswered.get(worker);
        if (missed != null) {
            begin(worker, call, missed);
        } else {
            onAllServers(call, () -> LeaveEpochPsf.stub(caller).call(worker), left -> {
                number = Math.max(number, left.epoch());
                ended.add(worker);
                check();
            });
        }
        return call.answer();
    }

    /** Ends the epoch if all workers have. A call that has timed out does not count. */
    private void check() {
        calls.values().removeIf(call -> !call.waits());
        ended.retainAll(calls.keySet());
        if (ended.isEmpty() || !missing().isEmpty()) {
            return;
        }
        number++;
        int[] workers = ended.stream().mapToInt(Integer::intValue).toArray();
        BeginEpoch.Request next = new BeginEpoch.Request(number, workers);
        ended.clear();
        for (int worker : workers) {
            unanswered.put(worker, next);
        }
        for (int worker : workers) {
            Call call = calls.get(worker);
            if (call != null) {
                begin(worker, call, next);
            }
        }
    }

    private void begin(int worker, Call call, BeginEpoch.Request next) {
        onAllServers(call, () -> BeginEpochPsf.stub(call.caller()).call(next.ended(), next.workers()), begun -> {
            unanswered.remove(worker);
            calls.remove(worker, call);
            call.answer().complete(new EndEpoch.Response(next.ended()));
        });
    }

    /** Calls all servers, until the call that waits has ended. */
    private <R> void onAllServers(Call waiting, Supplier<Pending<R>> call, Consumer<R> then) {
        var unused = Stages.reached(server, waiting::waits, call).whenComplete((answer, failure) -> {
            if (!waiting.waits()) {
                return;
            }
            if (failure == null) {
                then.accept(answer);
            } else {
                waiting.answer().completeExceptionally(failure);
            }
        });
    }

    @Override
    public void measure(Metrics to) {
        to.highest("psf.epochs", "epochs", "epochs that have ended", number);
    }

    private Set<Integer> missing() {
        Set<Integer> missing = new TreeSet<>(Workers.of(server.members()));
        missing.removeAll(ended);
        missing.removeAll(paused);
        return missing;
    }

    private String waitsFor() {
        return "workers that have not ended epoch " + (number + 1) + ": " + missing()
                + " (expected: none of the present ones)";
    }

    @Override
    public void pause(int worker) {
        paused.add(worker);
        check();
    }

    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        paused.removeAll(workers);
        if (loaded) {
            drop(dropped("end of an epoch"));
            unanswered.clear();
        }
    }

    @Override
    protected void drop(PsException reason) {
        List<Call> dropped = List.copyOf(calls.values());
        calls.clear();
        ended.clear();
        dropped.forEach(call -> call.answer().completeExceptionally(reason));
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {
        paused.retainAll(present);
        unanswered.keySet().retainAll(present);
        ended.retainAll(present);
        check();
    }
}
