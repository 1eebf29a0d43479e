package io.psf.runtime.internal.cluster;

import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Role;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The workers that wait at the barrier. A barrier is for the workers that are present when the first of them calls it: it
 * does not wait for those that join later, whose calls count for the next one, nor for those that have left or are lost. A
 * worker that calls again before the barrier has opened counts for the next one, too. A call that has timed out does not
 * count; once no call waits, the next one begins another barrier. Used on the scheduler's lane.
 */
final class Barriers implements Barrier, MemberListener {
    /** The most ranks that a message has. */
    private static final int MOST_NAMED = 20;

    /** For each worker rank, its unanswered calls, oldest first. */
    private final Map<Integer, List<CompletableFuture<Response>>> waiting = new LinkedHashMap<>();

    /** The epoch of the last rollback; 0 for none. */
    private long rollback;

    /** The workers that are present. */
    private Set<Integer> present = Set.of();

    /** The workers of the current barrier; empty while no worker waits. */
    private final Set<Integer> counted = new TreeSet<>();

    /** Those of the current barrier that have not called it. */
    private final Set<Integer> missing = new HashSet<>();

    @Override
    public CompletionStage<Response> handle(Request request, Node scheduler) {
        return call(scheduler.call().worker(), request.rollback());
    }

    /** Takes the call of a worker that knows a rollback. */
    CompletableFuture<Response> call(int worker, long known) {
        if (worker < 0) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "barrier: called by a client (expected: by a worker, since it is for all workers)");
        }
        if (known != rollback) { // it would wait for workers that load a checkpoint
            throw rolledBack();
        }
        dropDone();
        CompletableFuture<Response> answer = new DeferredAnswer<>(this::whoIsMissing);
        waiting.computeIfAbsent(worker, rank -> new ArrayList<>()).add(answer);
        boolean isLast = missing.remove(worker) && missing.isEmpty();
        if (isLast || counted.isEmpty()) {
            openAll();
        }
        return answer;
    }

    @Override
    public void membersChanged(List<Member> members) {
        present = workers(members);
        openAll();
    }

    /** Drops calls that have timed out, up to the first that waits. The barrier is over if none does. */
    private void dropDone() {
        for (Iterator<Map.Entry<Integer, List<CompletableFuture<Response>>>> i =
                        waiting.entrySet().iterator();
                i.hasNext(); ) {
            Map.Entry<Integer, List<CompletableFuture<Response>>> first = i.next();
            first.getValue().removeIf(CompletableFuture::isDone);
            if (!first.getValue().isEmpty()) {
                return;
            }
            i.remove();
            if (counted.contains(first.getKey())) {
                missing.add(first.getKey());
            }
        }
        counted.clear();
        missing.clear();
    }

    /** Opens the current barrier, and those after it, as long as every worker of one has called it. */
    private void openAll() {
        waiting.keySet().retainAll(present);
        waiting.values().forEach(calls -> calls.removeIf(CompletableFuture::isDone)); // timed out or cancelled
        waiting.values().removeIf(List::isEmpty);
        counted.retainAll(present);
        while (!waiting.isEmpty()) {
            if (counted.isEmpty()) {
                counted.addAll(present);
            }
            missing.clear();
            missing.addAll(counted);
            missing.removeAll(waiting.keySet());
            if (!missing.isEmpty()) {
                return;
            }
            open();
        }
        counted.clear();
        missing.clear();
    }

    /** Fails the calls of before a rollback: the workers meet again when they load a checkpoint. */
    void rollBack(long epoch) {
        rollback = epoch;
        List<CompletableFuture<Response>> before =
                waiting.values().stream().flatMap(List::stream).toList();
        waiting.clear();
        counted.clear();
        missing.clear();
        PsException cause = rolledBack();
        before.forEach(answer -> answer.completeExceptionally(cause));
    }

    private static PsException rolledBack() {
        return new PsException(
                PsException.Code.ROLLED_BACK,
                "barrier: called before a lost node came back (expected: that all workers load the newest checkpoint)");
    }

    private void open() {
        List<CompletableFuture<Response>> opened = new ArrayList<>();
        for (int worker : counted) {
            opened.add(waiting.getOrDefault(worker, List.of()).remove(0)); // each has a call
        }
        waiting.values().removeIf(List::isEmpty);
        counted.clear();
        opened.forEach(answer -> answer.complete(new Response()));
    }

    private String whoIsMissing() {
        List<Integer> first = new ArrayList<>();
        int others = 0;
        for (int worker : counted) {
            if (waiting.getOrDefault(worker, List.of()).stream().anyMatch(call -> !call.isDone())) {
                continue;
            }
            if (first.size() < MOST_NAMED) {
                first.add(worker);
            } else {
                others++;
            }
        }
        return "workers that have not called the barrier: " + first + (others == 0 ? "" : " and " + others + " others")
                + " (expected: none of those that were present when it was called first)";
    }

    private static Set<Integer> workers(List<Member> members) {
        Set<Integer> workers = new TreeSet<>();
        for (Member member : members) {
            if (member.role() == Role.WORKER) {
                workers.add(member.rank());
            }
        }
        return workers;
    }
}
