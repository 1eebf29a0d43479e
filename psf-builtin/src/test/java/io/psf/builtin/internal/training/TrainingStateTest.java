package io.psf.builtin.internal.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.builtin.Laws;
import io.psf.builtin.internal.checkpoint.ModelOptions;
import io.psf.builtin.internal.checkpoint.RecordEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrainingStateTest {
    private static final long STEPS = 500;

    private final Set<Integer> present = new HashSet<>();
    /** The last cut; -1 for none. */
    private long met = -1;

    private final Work work = new Work();
    private final TrainingState loop = new TrainingState("m", work, () -> present);

    /** Work that ends when the test says. */
    private static final class Work implements LoopWork {
        private CompletableFuture<Long> underWay = new CompletableFuture<>();
        /** The workers of the last work. */
        private List<Integer> workers = List.of();
        /** The workers that were last made to begin. */
        private List<Integer> restarted = List.of();

        private CompletableFuture<Long> begin(Meeting all) {
            workers = Arrays.stream(all.ranks()).boxed().toList();
            underWay = new CompletableFuture<>();
            return underWay;
        }

        void end(long step) {
            underWay.complete(step);
        }

        @Override
        public boolean isBusy() {
            return false;
        }

        @Override
        public void forgetFailures() {}

        @Override
        public CompletionStage<Long> cut(Meeting all, long step, List<RecordEntry> entries, boolean last) {
            return begin(all);
        }

        @Override
        public CompletionStage<Outcome> load(Meeting all, long step, int[] ranks) {
            return begin(all).thenApply(loaded -> Outcome.saved(loaded, false));
        }

        @Override
        public CompletionStage<Void> restart(int[] ranks, boolean loaded, BooleanSupplier isWanted) {
            restarted = Arrays.stream(ranks).boxed().toList();
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> pause(int worker, BooleanSupplier isWanted) {
            return CompletableFuture.completedFuture(null);
        }
    }

    private static final ModelOptions OPTIONS = new ModelOptions(3, 0, List.of(), List.of(), true, true);

    private CompletableFuture<Outcome> meet(int rank, long step, boolean stop) {
        Meeting.Part part = new Meeting.Part(stop, false, false, OPTIONS, List.of(), 0);
        return loop.meet(rank, step, part, outcome -> outcome).toCompletableFuture();
    }

    private CompletableFuture<Outcome> meet(int rank, long step) {
        return meet(rank, step, false);
    }

    /** A worker whose calls arrive late, and whose answers return late. */
    private final class Worker {
        private final int rank;
        private final Random random;
        private long at;
        private long next;
        private long cut = -1;
        /** True if a call is under way. */
        private boolean told;
        /** The step told by the call that has not arrived; -1 for none. */
        private long sent = -1;
        /** The answer that has not been read. */
        private long answer = -1;

        private boolean isMeeting;

        Worker(int rank, Random random) {
            this.rank = rank;
            this.random = random;
        }

        /** Lets the call arrive at the server. */
        void arrive() {
            if (sent >= 0) {
                answer = loop.tell(rank, sent, STEPS, 0, random.nextInt(8) == 0);
                sent = -1;
            }
        }

        /** Passes a boundary, as Boundaries does. Returns false if the worker waits for an answer or at a cut. */
        boolean pass() {
            if (isMeeting || told && sent >= 0) {
                return false;
            }
            if (told) {
                told = false;
                cut = answer;
                assertThat(cut == -1 || cut == met || cut >= at)
                        .as("cut %d, read at %d", cut, at)
                        .isTrue();
            }
            if (at == next) {
                next = at + 1 + random.nextInt(5);
                sent = next;
                told = true;
            }
            if (at == cut || at == STEPS) {
                isMeeting = true;
                return false;
            }
            at++;
            return true;
        }
    }

    /** The server decides while calls and answers are under way. */
    @Test
    void noWorkerHasPassedACutWhenItReadsOfIt() {
        for (int seed = 0; seed < Laws.cases(50); seed++) {
            Random random = new Random(seed);
            List<Worker> workers = new ArrayList<>();
            present.clear();
            for (int rank = 0; rank < 1 + seed % 4; rank++) {
                present.add(rank);
                workers.add(new Worker(rank, random));
            }
            present.forEach(rank -> enter(rank, false, false));
            int cuts = 0;
            met = -1;
            while (met < STEPS) {
                Worker worker = workers.get(random.nextInt(workers.size()));
                if (random.nextBoolean()) {
                    worker.arrive();
                } else {
                    worker.pass();
                }
                if (workers.stream().allMatch(each -> each.isMeeting)) {
                    workers.forEach(Worker::arrive);
                    met = worker.at;
                    assertThat(workers).as("seed %d", seed).allMatch(each -> each.at == worker.at);
                    cuts++;
                    meet(worker.at);
                    workers.forEach(each -> each.isMeeting = false);
                    if (met < STEPS) {
                        workers.forEach(each -> each.at++);
                    }
                }
            }
            assertThat(cuts).as("cuts of seed %d", seed).isGreaterThan(3);
            present.forEach(this::leave);
        }
    }

    private void leave(int worker) {
        loop.leave(worker, List.of());
    }

    private void meet(long step) {
        List<CompletableFuture<Outcome>> answers = new ArrayList<>();
        present.forEach(rank -> answers.add(meet(rank, step)));
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        work.end(step);
        assertThat(answers).allMatch(each -> each.join().step() == step);
    }

    @Test
    void aWorkerThatGoesBackFailsAMeetingAndALostOneIsNotWaitedFor() {
        present.addAll(Set.of(0, 1, 2));
        present.forEach(rank -> enter(rank, false, false));
        present.forEach(rank -> loop.tell(rank, 3, STEPS, 0, false));
        var cut = meet(0, 5);
        var load = meet(1, TrainingState.LOAD);
        assertThat(cut).isCompletedExceptionally();
        assertThatThrownBy(() -> loop.tell(2, 4, STEPS, 0, false)).hasMessageContaining("ROLLED_BACK");
        assertThatThrownBy(() -> meet(2, 5)).hasMessageContaining("ROLLED_BACK");
        var loadOf2 = meet(2, TrainingState.LOAD);
        assertThat(work.workers).isEmpty();
        present.remove(0);
        loop.retain(present);
        assertThat(work.workers).containsExactly(1, 2);
        assertThat(List.of(load, loadOf2)).noneMatch(CompletableFuture::isDone);
        work.end(2);
        assertThat(List.of(load, loadOf2)).allMatch(each -> each.join().step() == 2);
        assertThat(loop.tell(2, 3, STEPS, 0, false)).isEqualTo(-1);
    }

    @Test
    void aServerThatHasComeBackDecidesOnNoCutBeforeAllWorkersHaveTold() {
        present.addAll(Set.of(0, 1));
        assertThat(loop.tell(0, 10, STEPS, 0, true)).isEqualTo(-1);
        assertThat(loop.tell(1, 14, STEPS, 0, false)).isEqualTo(15);
        assertThat(loop.tell(0, 11, STEPS, 0, false)).isEqualTo(15);
    }

    /** The server that leads was replaced, then all workers, one after the other. */
    @Test
    void lateWorkersBeginTogetherIfNoOtherOneIsLeft() {
        present.addAll(Set.of(0, 1));
        assertThat(enter(0, true, false).join().cut()).isEqualTo(EnterTraining.LATE);
        CompletableFuture<EnterTraining.Response> zero = enter(0, true, true);
        assertThat(enter(1, true, false).join().cut()).isEqualTo(EnterTraining.LATE);
        assertThat(zero).isNotDone();
        CompletableFuture<EnterTraining.Response> one = enter(1, true, true);
        assertThat(List.of(zero, one)).allMatch(each -> each.getNow(null).cut() == EnterTraining.TOGETHER);
    }

    @Test
    void aServerThatHasComeBackDoesNotWaitForAWorkerThatJoins() {
        present.addAll(Set.of(0, 1));
        assertThat(enter(0, true, false).join().cut()).isEqualTo(EnterTraining.LATE);
        CompletableFuture<EnterTraining.Response> joins = enter(0, true, true);
        assertThat(loop.tell(1, 20, STEPS, 0, false)).isEqualTo(21);
        assertThat(joins.getNow(null).cut()).isEqualTo(21);
    }

    @Test
    void aServerThatHasComeBackTakesACallOfAWorkerThatJoinsAgain() {
        present.addAll(Set.of(0, 1));
        assertThat(loop.tell(1, 20, STEPS, 0, false)).isEqualTo(-1);
        assertThat(enter(0, true, true).getNow(null).cut()) // it called the server before this one, too
                .isEqualTo(21);
        assertThat(loop.tell(1, 24, STEPS, 0, false)).isEqualTo(21);
    }

    @Test
    void aWorkerThatJoinsIsToldACutThatIsToCome() {
        present.addAll(Set.of(0, 1));
        present.forEach(rank -> enter(rank, false, false));
        present.forEach(rank -> loop.tell(rank, 20 + rank, STEPS, 0, false));
        present.add(2);
        assertThat(enter(2, true, false).join().cut()).isEqualTo(EnterTraining.LATE);
        assertThat(enter(2, true, true).join().cut()).isEqualTo(22);
        var zero = meet(0, 22);
        var one = meet(1, 22);
        assertThat(work.workers).isEmpty();
        var two = meet(2, 22);
        assertThat(work.workers).containsExactly(0, 1, 2);
        assertThat(work.restarted).as("before the copies are made").isEmpty();
        work.end(22);
        assertThat(work.restarted).containsExactly(0, 1, 2);
        assertThat(List.of(zero, one, two)).allMatch(each -> each.join().step() == 22);
        assertThatThrownBy(() -> {
                    meet(0, 30);
                    meet(1, 31);
                })
                .isInstanceOf(PsException.class)
                .hasMessageContaining("BAD_REQUEST: cut of worker 1: after step 31 (expected: after step 30");
    }

    /** The others have a cut by their interval before it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkerThatJoinsWaitsForItsCutThroughAnEarlierOne(boolean first) {
        present.addAll(Set.of(0, 1));
        present.forEach(rank -> enter(rank, false, false));
        present.forEach(rank -> loop.tell(rank, 20, STEPS, 0, false));
        present.add(2);
        enter(2, true, false);
        assertThat(enter(2, true, true).join().cut()).isEqualTo(21);
        List<CompletableFuture<Outcome>> joins = new ArrayList<>();
        if (first) {
            joins.add(meet(2, 21));
        }
        var unused = meet(0, 20);
        if (!first) {
            joins.add(meet(2, 21));
        }
        var one = meet(1, 20);
        assertThat(work.workers).containsExactly(0, 1);
        work.end(20);
        assertThat(one.join().step()).isEqualTo(20);
        assertThat(work.restarted).isEmpty();
        assertThat(joins).noneMatch(CompletableFuture::isDone);
        unused = meet(0, 21);
        unused = meet(1, 21);
        assertThat(work.workers).containsExactly(0, 1, 2);
        work.end(21);
        assertThat(joins.get(0).join().step()).isEqualTo(21);
    }

    @Test
    void aWorkerThatJoinsGoesBackWithTheOthers() {
        present.addAll(Set.of(0, 1));
        present.forEach(rank -> enter(rank, false, false));
        present.forEach(rank -> loop.tell(rank, 20, STEPS, 0, false));
        present.add(2);
        enter(2, true, false);
        enter(2, true, true);
        var two = meet(2, 21);
        var unused = meet(0, 20);
        loop.abandon(new PsException(PsException.Code.ROLLED_BACK, "worker 1: goes back"));
        assertThat(two).isCompletedExceptionally();
    }

    private static TrainingState.Entry request(long steps, boolean late, boolean paused, boolean back, boolean ended) {
        return new TrainingState.Entry(steps, late, paused, back, ended);
    }

    private CompletableFuture<EnterTraining.Response> enter(int rank, boolean late, boolean paused) {
        return enter(rank, STEPS, late, paused, false);
    }

    private CompletableFuture<EnterTraining.Response> enter(
            int rank, long steps, boolean late, boolean paused, boolean back) {
        return loop.enter(rank, request(steps, late, paused, back, false)).toCompletableFuture();
    }

    /**
     * Lets the workers 0 and 1 come to the last cut, and returns the call of worker 2, which wants to join meanwhile.
     */
    private CompletableFuture<EnterTraining.Response> joinAtTheLastCut(long steps, boolean stop) {
        present.addAll(Set.of(0, 1));
        present.forEach(rank -> enter(rank, false, false));
        loop.tell(0, stop ? 10 : STEPS, STEPS, 0, false);
        long cut = loop.tell(1, stop ? 10 : STEPS, STEPS, 0, stop);
        long last = stop ? cut : STEPS;
        var unused = meet(0, last, stop);
        unused = meet(1, last, stop);
        assertThat(work.workers).containsExactly(0, 1);
        present.add(2);
        assertThat(enter(2, steps, true, false, false).join().cut()).isEqualTo(EnterTraining.LATE);
        CompletableFuture<EnterTraining.Response> joins = enter(2, steps, true, true, false);
        assertThat(joins).isNotDone();
        work.end(last);
        return joins;
    }

    @Test
    void aWorkerThatWaitsForACutLearnsThatTheLastOneIsOver() {
        assertThat(joinAtTheLastCut(STEPS, false).getNow(null).cut()).isEqualTo(EnterTraining.OVER);
        assertThat(enter(2, true, false).join().cut()).isEqualTo(EnterTraining.OVER);
    }

    @Test
    void aWorkerOfALongerRunWaitsForTheOthersUnlessTheyWereStopped() {
        CompletableFuture<EnterTraining.Response> joins = joinAtTheLastCut(2 * STEPS, false);
        assertThat(joins).isNotDone();
        List.of(0, 1).forEach(this::leave);
        List.of(0, 1)
                .forEach(rank -> assertThat(enter(rank, 2 * STEPS, false, false, false)
                                .join()
                                .cut())
                        .isEqualTo(EnterTraining.TOGETHER));
        assertThat(loop.tell(0, STEPS + 2, 2 * STEPS, 0, false)).isEqualTo(STEPS + 3);
        assertThat(joins.getNow(null).cut()).isEqualTo(STEPS + 3);
    }

    @Test
    void aStopEndsALongerRunToo() {
        assertThat(joinAtTheLastCut(2 * STEPS, true).getNow(null).cut()).isEqualTo(EnterTraining.OVER);
    }

    @Test
    void aWorkerThatComesBackAfterTheEndDoesNotGoBack() {
        present.addAll(Set.of(0, 1));
        present.forEach(rank -> enter(rank, false, false));
        present.forEach(rank -> loop.tell(rank, STEPS, STEPS, 0, false));
        meet(STEPS);
        leave(0);
        assertThat(loop.goBackWith(0, request(STEPS, false, false, true, true)))
                .as("while worker 1 is in the loop")
                .isTrue();
        leave(0);
        leave(1);
        assertThat(loop.goBackWith(0, request(STEPS, false, false, true, false)))
                .isFalse();
        assertThat(enter(0, STEPS, false, false, true).join().cut()).isEqualTo(EnterTraining.OVER);
    }

    /** The server that led the loop was lost after the end: this one knows none of its workers. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkerThatComesAfterTheEndLearnsOfItThoughTheServerHasComeBackToo(boolean isBack) {
        present.addAll(Set.of(0, 1));
        TrainingState.Entry back = request(STEPS, !isBack, false, isBack, true);
        assertThat(isBack && loop.goBackWith(0, back)).isFalse();
        assertThat(loop.enter(0, back).toCompletableFuture().join().cut()).isEqualTo(EnterTraining.OVER);
        leave(0);
        var unused = meet(1, TrainingState.LOAD);
        assertThat(work.workers).as("worker 0 is not awaited").containsExactly(1);
    }

    @Test
    void aWorkerGoesBackWithAServerThatHasComeBackIfTheLastStepHasNoCheckpoint() {
        present.addAll(Set.of(0, 1));
        assertThat(loop.goBackWith(0, request(STEPS, false, false, true, false)))
                .isTrue();
    }

    @Test
    void theEndIsForgottenWithTheLastWorker() {
        present.addAll(Set.of(0, 1));
        present.forEach(rank -> enter(rank, false, false));
        present.forEach(rank -> loop.tell(rank, STEPS, STEPS, 0, false));
        meet(STEPS);
        loop.retain(Set.of(1));
        leave(1);
        assertThat(loop.isForgotten()).isFalse();
        loop.retain(Set.of());
        assertThat(loop.isForgotten()).isTrue();
    }
}
