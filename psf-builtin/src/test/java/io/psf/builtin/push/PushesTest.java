package io.psf.builtin.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.optimizer.Add;
import io.psf.builtin.optimizer.Assign;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.Lamb;
import io.psf.builtin.optimizer.Momentum;
import io.psf.builtin.optimizer.Sgd;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.testkit.TestShard;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // many a test looks at the values alone
class PushesTest {
    private static final int ROWS = 4;

    @Test
    void anAsynchronousPushIsAppliedWhenItArrives() {
        TestShard shard = shard(new Add(1)).workers(0, 1);
        assertThat(dense(shard, 0, 1, 2, 3, 4)).isCompletedWithValue("1.0, 2.0, 3.0, 4.0");
        assertThat(sparse(shard, 0, new long[] {1}, 10)).isCompletedWithValue("1.0, 12.0, 3.0, 4.0");
    }

    @Test
    void anEmptySparsePushChangesNothingAndIsAnswered() {
        TestShard shard = shard(new Assign()).workers(0, 1);
        dense(shard, 0, 1, 2, 3, 4);
        for (int i = 0; i < 7; i++) {
            assertThat(sparse(shard, i % 2, new long[0])).isCompletedWithValue("1.0, 2.0, 3.0, 4.0");
        }
        TestShard rounds = sums(shard(new Assign()).workers(0, 1));
        for (int i = 0; i < 7; i++) {
            sparse(rounds, 0, new long[0]);
            assertThat(sparse(rounds, 1, new long[0])).isCompletedWithValue("0.0, 0.0, 0.0, 0.0");
        }
    }

    @Test
    void withoutAnOptimizerTheSumOfARoundReplacesTheValue() {
        TestShard shard = sums(shard(new Assign()).workers(0, 1));
        CompletableFuture<String> first = dense(shard, 0, 1, 2, 3, 4);
        assertThat(first).isNotDone();
        assertThat(values(shard)).as("before the round closes").isEqualTo("0.0, 0.0, 0.0, 0.0");
        CompletableFuture<String> second = dense(shard, 1, 10, 20, 30, 40);
        assertThat(first).isCompletedWithValue("11.0, 22.0, 33.0, 44.0");
        assertThat(second).isCompletedWithValue("11.0, 22.0, 33.0, 44.0");
        dense(shard, 1, 1, 1, 1, 1);
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
    }

    @Test
    void aWorkerThatPushesTwiceDoesNotCloseTheRound() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1));
        CompletableFuture<String> first = dense(shard, 0, 1, 1, 1, 1);
        CompletableFuture<String> again = dense(shard, 0, 5, 5, 5, 5);
        assertThat(first).isNotDone();
        assertThat(again).isNotDone();
        CompletableFuture<String> other = dense(shard, 1, 2, 2, 2, 2);
        assertThat(first).isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
        assertThat(other).isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
        assertThat(again).as("belongs to the next round").isNotDone();
        assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue("9.0, 9.0, 9.0, 9.0");
        assertThat(again).isCompletedWithValue("9.0, 9.0, 9.0, 9.0");
    }

    @Test
    void whenAWorkerLeavesTheRoundClosesOverThoseWhoAreLeft() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        CompletableFuture<String> first = dense(shard, 0, 1, 1, 1, 1);
        CompletableFuture<String> gone = dense(shard, 2, 4, 4, 4, 4);
        shard.workers(0, 1);
        assertThat(first).as("worker 1 is still there").isNotDone();
        shard.workers(0);
        assertThat(first).as("what worker 2 pushed counts").isCompletedWithValue("5.0, 5.0, 5.0, 5.0");
        assertThat(gone).isDone();
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("6.0, 6.0, 6.0, 6.0");
    }

    @Test
    void aRoundStepsTheOptimizerOnceWithTheSum() {
        TestShard shard = sums(shard(new Momentum(0.01f, 0.9f)).workers(0, 1));
        TestShard alone = shard(new Momentum(0.01f, 0.9f));
        for (int round = 0; round < 3; round++) {
            dense(shard, 0, 1, 2, 3, 4);
            dense(shard, 1, 0.5f, 0.25f, 1, 2);
            dense(alone, 0, 1.5f, 2.25f, 4, 6);
        }
        assertThat(shard.values()).isEqualTo(alone.values());
    }

    @Test
    void twoWorkersWithSumAndSgdAreOneStepOfTheSum() { // RY-1
        TestShard shard = sums(shard(new Sgd(0.01f)).workers(0, 1));
        dense(shard, 0, 0.1f, 0.2f, 0.3f, 0.4f);
        dense(shard, 1, 0.7f, 0.6f, 0.5f, 0.9f);
        float[] g = {0.1f + 0.7f, 0.2f + 0.6f, 0.3f + 0.5f, 0.4f + 0.9f};
        for (int i = 0; i < ROWS; i++) {
            assertThat(shard.values().get(i)).isEqualTo(0 - 0.01f * g[i]);
        }
    }

    @Test
    void aRoundOfWorkerRPushingRPlusOneAddsTwiceTheSum() { // MX-1, on one shard
        int n = 2;
        TestShard shard = sums(shard(new Add(2)).workers(0, 1));
        shard.values().fill(1);
        for (int i = 0; i < 7; i++) {
            for (int r = 0; r < n; r++) {
                dense(shard, r, r + 1, r + 1, r + 1, r + 1);
            }
            assertThat(shard.values().toArray()).containsOnly(n * (n + 1) * (i + 1) + 1);
        }
    }

    @Test
    void theMeanDividesByThoseWhoPushedEmptyPushesIncluded() {
        TestShard shard = shard(new Add(1)).workers(0, 1, 2, 3);
        Pushes.synchronize(shard, true, 0, false);
        sparse(shard, 0, new long[] {1, 2}, 4, 8);
        sparse(shard, 1, new long[0]);
        sparse(shard, 2, new long[] {2}, 8);
        assertThat(sparse(shard, 3, new long[0])).isCompletedWithValue("0.0, 1.0, 4.0, 0.0");
        dense(shard, 0, 4, 4, 4, 4);
        sparse(shard, 1, new long[] {0, 3}, 8, 16);
        sparse(shard, 2, new long[0]);
        assertThat(sparse(shard, 3, new long[0])).isCompletedWithValue("3.0, 2.0, 5.0, 5.0");
    }

    @Test
    void sparsePushesOfARoundAreOneStepOfEachRow() {
        TestShard shard = sums(shard(new Assign()).workers(0, 1));
        shard.values().fill(7);
        sparse(shard, 0, new long[] {3, 1}, 1, 2);
        assertThat(sparse(shard, 1, new long[] {1, 0}, 10, 20)).isCompletedWithValue("20.0, 12.0, 7.0, 1.0");
    }

    @Test
    void denseAndSparsePushesOfARoundMayBeMixed() {
        TestShard shard = sums(shard(new Assign()).workers(0, 1));
        sparse(shard, 0, new long[] {3, 1}, 1, 2);
        assertThat(dense(shard, 1, 10, 20, 30, 40)).isCompletedWithValue("10.0, 22.0, 30.0, 41.0");
    }

    /** Of four workers; any two of their sums in another order differ in some bit. */
    private static float[] unlike(int worker) {
        float[][] updates = {
            {1e8f, 0.1f, 1f, 3e-8f}, {1f, 0.2f, 1e-8f, 1f}, {-1e8f, 0.7f, 6e-8f, -1f}, {3.3f, 1e-9f, 7e-8f, 1e-7f}
        };
        return updates[worker];
    }

    private static List<List<Integer>> arrivals() {
        List<List<Integer>> orders = new ArrayList<>(List.of(List.of()));
        for (int length = 0; length < 4; length++) {
            List<List<Integer>> longer = new ArrayList<>();
            for (List<Integer> order : orders) {
                for (int worker = 0; worker < 4; worker++) {
                    if (!order.contains(worker)) {
                        List<Integer> next = new ArrayList<>(order);
                        next.add(worker);
                        longer.add(next);
                    }
                }
            }
            orders = longer;
        }
        return orders;
    }

    /** What four pushes come to that arrive in an order: worker r pushes densely if bit r of {@code dense} is set. */
    private static float[] round(List<Integer> order, boolean mean, int dense) {
        TestShard shard = shard(new Assign()).workers(0, 1, 2, 3);
        Pushes.synchronize(shard, mean, 0, false);
        for (int worker : order) {
            if ((dense >> worker & 1) == 1) {
                dense(shard, worker, unlike(worker));
            } else {
                sparse(shard, worker, new long[] {0, 1, 2, 3}, unlike(worker));
            }
        }
        return shard.values().toArray();
    }

    @Test
    void aRoundIsAddedUpInTheOrderOfRanksWhateverTheOrderOfArrival() {
        float[] sum = new float[ROWS];
        for (int worker = 0; worker < 4; worker++) {
            for (int i = 0; i < ROWS; i++) {
                sum[i] += unlike(worker)[i];
            }
        }
        float[] mean = new float[ROWS];
        for (int i = 0; i < ROWS; i++) {
            mean[i] = sum[i] * 0.25f;
        }
        for (List<Integer> order : arrivals()) {
            for (int dense = 0; dense < 16; dense++) {
                assertThat(round(order, false, dense))
                        .as("sum of %s, dense %s", order, Integer.toBinaryString(dense))
                        .isEqualTo(sum);
                assertThat(round(order, true, dense))
                        .as("mean of %s, dense %s", order, Integer.toBinaryString(dense))
                        .isEqualTo(mean);
            }
        }
    }

    @Test
    void longRoundsAreAddedUpLikeShortOnes() { // longer than a tile of what is added together, and no multiple of one
        int n = 2000;
        TestShard shard = TestShard.whole(n, 1, new TiledOptimizer("assign", new Assign()))
                .workers(0, 1, 2);
        Pushes.synchronize(shard, true, 0, false);
        Random random = new Random(3);
        float[][] updates = new float[3][n];
        float[] mean = new float[n];
        for (int worker = 0; worker < 3; worker++) {
            for (int i = 0; i < n; i++) {
                updates[worker][i] = random.nextFloat();
                mean[i] += updates[worker][i];
            }
        }
        for (int i = 0; i < n; i++) {
            mean[i] /= 3;
        }
        for (int worker : new int[] {2, 0, 1}) {
            dense(shard, worker, updates[worker]);
        }
        assertThat(shard.values().toArray()).isEqualTo(mean);
    }

    @Test
    void theMeanIsTheSumDividedByTheNumberOfPushesHoweverTheyArePushed() {
        assertThat(5f / 3).as("another value than by the inverse").isNotEqualTo(5 * (1f / 3));
        float[][] updates = {{2, 0.1f, 7, 1}, {2, 0.2f, 0, 1e-3f}, {1, 0.4f, 4, 5}};
        float[] mean = new float[ROWS];
        for (int i = 0; i < ROWS; i++) {
            mean[i] = (updates[0][i] + updates[1][i] + updates[2][i]) / 3;
        }
        for (int dense = 0; dense < 8; dense++) {
            TestShard shard = shard(new Assign()).workers(0, 1, 2);
            Pushes.synchronize(shard, true, 0, false);
            for (int worker : new int[] {1, 2, 0}) {
                if ((dense >> worker & 1) == 1) {
                    dense(shard, worker, updates[worker]);
                } else {
                    sparse(shard, worker, new long[] {0, 1, 2, 3}, updates[worker]);
                }
            }
            assertThat(shard.values().toArray())
                    .as("dense %s", Integer.toBinaryString(dense))
                    .isEqualTo(mean);
        }
    }

    @Test
    void aRequestIsGivenBackWhenAllLowerRanksHavePushedAndNotReadAfterwards() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2, 3));
        float[][] pushed = {{1, 2, 3, 4}, {10, 20, 30, 40}, {5, 6}, {7, 7, 7, 7}};
        shard.onRelease(worker -> Arrays.fill(pushed[worker], Float.NaN));
        dense(shard, 1, pushed[1]);
        sparse(shard, 2, new long[] {1, 3}, pushed[2]);
        sparse(shard, 1, new long[] {1}, 10); // of the next round
        assertThat(shard.storedSlots()).as("waits for rank 0, uncopied").isEmpty();
        assertThat(pushed[1]).containsExactly(10, 20, 30, 40);
        dense(shard, 0, pushed[0]);
        assertThat(pushed[0]).containsOnly(Float.NaN);
        assertThat(pushed[1]).containsOnly(Float.NaN);
        assertThat(pushed[2]).containsOnly(Float.NaN);
        assertThat(values(shard)).isEqualTo("0.0, 0.0, 0.0, 0.0");
        assertThat(dense(shard, 3, pushed[3])).isCompletedWithValue("18.0, 34.0, 40.0, 57.0");
    }

    @Test
    void aWorkerThatPushesOnAndOnWithoutTheOthersIsStopped() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1));
        for (int i = 0; i < 4; i++) {
            dense(shard, 0, 1, 1, 1, 1);
        }
        assertThatThrownBy(() -> dense(shard, 0, 1, 1, 1, 1))
                .hasMessage("RESOURCE_EXHAUSTED: pushes of worker 0 that wait for other workers' pushes: 5 "
                        + "(expected: at most 4)");
        for (int i = 0; i < 4; i++) {
            String value = (i + 1) * 2 + ".0";
            assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue(String.join(", ", value, value, value, value));
        }
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isNotDone();
    }

    @Test
    void thePushThatClosesARoundIsAnsweredLast() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        List<Integer> answered = new ArrayList<>();
        for (int worker : new int[] {2, 1, 0}) {
            Pushes.of(shard.from(worker)).dense(FloatArray.allocate(ROWS), () -> answered.add(worker));
        }
        assertThat(answered).containsExactly(2, 1, 0);
    }

    @Test
    void anAnswerThatLetsTheNextPushInDoesNotMixRounds() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1));
        CompletableFuture<String> first = dense(shard, 0, 1, 1, 1, 1);
        List<CompletableFuture<String>> next = new ArrayList<>();
        first.thenRun(() -> next.add(dense(shard, 0, 10, 10, 10, 10)));
        CompletableFuture<String> ahead = new CompletableFuture<>();
        first.thenRun(() -> dense(shard, 1, 20, 20, 20, 20).thenAccept(ahead::complete));
        CompletableFuture<String> second = dense(shard, 1, 2, 2, 2, 2);
        assertThat(first).isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
        assertThat(second).as("the values after its own round").isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
        assertThat(next.get(0)).isCompletedWithValue("33.0, 33.0, 33.0, 33.0");
        assertThat(ahead).isCompletedWithValue("33.0, 33.0, 33.0, 33.0");
    }

    private static TestShard quorum(int pushes, boolean dropsLate, int... workers) {
        TestShard shard = shard(new Add(1)).workers(workers);
        Pushes.synchronize(shard, false, pushes, dropsLate);
        return shard;
    }

    @Test
    void aRoundOfTwoOfThreeClosesWithoutTheSlowestWhosePushIsDropped() {
        TestShard shard = quorum(2, true, 0, 1, 2);
        for (int round = 1; round <= 5; round++) {
            CompletableFuture<String> first = dense(shard, 1, 1, 1, 1, 1);
            assertThat(first).isNotDone();
            dense(shard, 0, 1, 1, 1, 1);
            assertThat(first).isDone();
        }
        assertThat(dense(shard, 2, 100, 100, 100, 100)).isCompletedWithValue("10.0, 10.0, 10.0, 10.0");
        assertThat(Pushes.of(shard).closed()).isEqualTo(5);
        assertThat(Pushes.of(shard).late()).isEqualTo(Map.of(2, 1L));
        CompletableFuture<String> caughtUp = dense(shard, 2, 3, 3, 3, 3);
        assertThat(caughtUp).as("made for the open round").isNotDone();
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("14.0, 14.0, 14.0, 14.0");
        assertThat(caughtUp).isDone();
        assertThat(dense(shard, 1, 50, 50, 50, 50)).as("late now").isCompletedWithValue("14.0, 14.0, 14.0, 14.0");
        assertThat(Pushes.of(shard).late()).isEqualTo(Map.of(1, 1L, 2, 1L));
    }

    @Test
    void aLatePushIsAddedToTheNextRound() {
        TestShard shard = quorum(2, false, 0, 1, 2);
        dense(shard, 0, 1, 1, 1, 1);
        dense(shard, 1, 1, 1, 1, 1);
        CompletableFuture<String> late = dense(shard, 2, 10, 10, 10, 10);
        assertThat(late).isNotDone();
        assertThat(sparse(shard, 1, new long[] {1, 2}, 5, 5)).isCompletedWithValue("12.0, 17.0, 17.0, 12.0");
        assertThat(late).isCompletedWithValue("12.0, 17.0, 17.0, 12.0");
        CompletableFuture<String> behind = dense(shard, 0, 1, 1, 1, 1);
        assertThat(behind).isNotDone();
        assertThat(Pushes.of(shard).late()).isEqualTo(Map.of(0, 1L, 2, 1L));
        assertThat(dense(shard, 2, 1, 1, 1, 1)).as("not late any more").isDone();
        assertThat(behind).isDone();
        assertThat(Pushes.of(shard).late()).isEqualTo(Map.of(0, 1L, 2, 1L));
        assertThat(Pushes.of(shard).closed()).isEqualTo(3);
    }

    @Test
    void fewerWorkersThanTheQuorumCloseARoundTogether() {
        TestShard shard = quorum(2, true, 0, 1, 2);
        CompletableFuture<String> first = dense(shard, 2, 1, 1, 1, 1);
        shard.workers(1, 2);
        assertThat(first).isNotDone();
        shard.workers(2);
        assertThat(first).isCompletedWithValue("1.0, 1.0, 1.0, 1.0");
        assertThat(dense(shard, 2, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
        assertThat(Pushes.of(shard).late()).isEmpty();
    }

    private static void end(TestShard shard, int worker) {
        new EndPushes() {}.handle(new EndPushes.Request(TensorId.of("w")), shard.from(worker));
    }

    @Test
    void aWorkerThatHasEndedItsPushesIsNotWaitedForUntilItPushesAgain() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        CompletableFuture<String> zero = dense(shard, 0, 1, 1, 1, 1);
        CompletableFuture<String> two = dense(shard, 2, 2, 2, 2, 2);
        CompletableFuture<String> next = dense(shard, 0, 5, 5, 5, 5);
        end(shard, 2);
        assertThat(zero).as("worker 1 is still there").isNotDone();
        end(shard, 1);
        assertThat(zero).isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
        assertThat(two).isDone();
        assertThat(next).as("nor do later rounds wait").isCompletedWithValue("8.0, 8.0, 8.0, 8.0");
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("9.0, 9.0, 9.0, 9.0");
        CompletableFuture<String> again = dense(shard, 2, 1, 1, 1, 1);
        assertThat(again).as("worker 0 pushes").isNotDone();
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("11.0, 11.0, 11.0, 11.0");
        assertThat(again).isDone();
        CompletableFuture<String> waiting = dense(shard, 0, 1, 1, 1, 1);
        assertThat(waiting).as("worker 2 takes part again").isNotDone();
        end(shard, 2);
        assertThat(waiting).isCompletedWithValue("12.0, 12.0, 12.0, 12.0");
    }

    @Test
    void theLastRoundsOfAQuorumCloseWithThoseThatStillPush() {
        TestShard shard = quorum(2, true, 0, 1, 2);
        CompletableFuture<String> last = dense(shard, 0, 1, 1, 1, 1);
        end(shard, 1);
        assertThat(last).isNotDone();
        end(shard, 2);
        assertThat(last).isCompletedWithValue("1.0, 1.0, 1.0, 1.0");
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
        assertThat(dense(shard, 1, 9, 9, 9, 9)).as("late").isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
        assertThat(dense(shard, 0, 1, 1, 1, 1)).as("worker 1 takes part again").isNotDone();
        assertThat(Pushes.of(shard).late()).isEqualTo(Map.of(1, 1L));
    }

    @Test
    void anotherWorkerWithTheRankOfOneThatHasEndedIsWaitedFor() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1));
        end(shard, 1);
        shard.workers(0);
        shard.workers(0, 1);
        CompletableFuture<String> zero = dense(shard, 0, 1, 1, 1, 1);
        assertThat(zero).isNotDone();
        dense(shard, 1, 1, 1, 1, 1);
        assertThat(zero).isDone();
    }

    @Test
    void whenAllWorkersHaveEndedTheirPushesAllAreWaitedForAgain() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        end(shard, 0);
        dense(shard, 2, 1, 1, 1, 1);
        assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
        end(shard, 1);
        shard.workers(0, 1); // worker 2 was the last one
        CompletableFuture<String> first = dense(shard, 0, 1, 1, 1, 1);
        assertThat(first).as("worker 1 takes part again").isNotDone();
        assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue("4.0, 4.0, 4.0, 4.0");
        assertThat(first).isDone();
    }

    @Test
    void theFirstPushAfterAllHaveEndedIsNotLate() {
        TestShard shard = quorum(2, true, 0, 1, 2);
        end(shard, 0);
        dense(shard, 1, 1, 1, 1, 1);
        dense(shard, 2, 1, 1, 1, 1);
        end(shard, 1);
        end(shard, 2);
        CompletableFuture<String> first = dense(shard, 0, 1, 1, 1, 1);
        assertThat(first).isNotDone();
        assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue("4.0, 4.0, 4.0, 4.0");
        assertThat(first).isDone();
        assertThat(Pushes.of(shard).late()).isEmpty();
    }

    /** Ends a call as a server does whose limit has passed. */
    private static void timeOut(CompletableFuture<String> push) {
        push.completeExceptionally(new PsException(PsException.Code.TIMED_OUT, "test"));
    }

    @Test
    void aPushThatHasTimedOutIsNotInItsRound() {
        for (int worker = 0; worker < 2; worker++) {
            TestShard shard = sums(shard(new Add(1)).workers(0, 1));
            timeOut(dense(shard, worker, 1, 1, 1, 1));
            CompletableFuture<String> again = dense(shard, worker, 1, 1, 1, 1);
            assertThat(again).isNotDone();
            assertThat(dense(shard, 1 - worker, 2, 2, 2, 2)).isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
            assertThat(again).isDone();
            timeOut(sparse(shard, worker, new long[] {1}, 5));
            sparse(shard, worker, new long[] {1, 2}, 5, 5);
            assertThat(sparse(shard, 1 - worker, new long[] {1}, 5)).isCompletedWithValue("3.0, 13.0, 8.0, 3.0");
        }
    }

    @Test
    void aTimeoutOfAPushThatWasAddedToOthersFailsTheirRound() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        CompletableFuture<String> zero = dense(shard, 0, 1, 1, 1, 1);
        CompletableFuture<String> one = dense(shard, 1, 1, 1, 1, 1);
        CompletableFuture<String> ahead = dense(shard, 1, 5, 5, 5, 5);
        timeOut(zero);
        assertThatThrownBy(one::join)
                .hasMessageContaining("TIMED_OUT: push of worker 0 in round 1: has timed out or was cancelled")
                .hasMessageEndingWith("the push was not applied");
        dense(shard, 0, 1, 1, 1, 1);
        assertThat(dense(shard, 2, 1, 1, 1, 1)).isCompletedWithValue("7.0, 7.0, 7.0, 7.0");
        assertThat(ahead).isDone();
    }

    @Test
    void aCancelledPushThatWasAddedToOthersStaysUnlessItsWorkerPushesAgain() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        PsException cancelled = new PsException(PsException.Code.CANCELLED, "test");
        dense(shard, 0, 1, 1, 1, 1).completeExceptionally(cancelled);
        dense(shard, 0, 1, 1, 1, 1).completeExceptionally(cancelled);
        dense(shard, 1, 1, 1, 1, 1);
        dense(shard, 0, 1, 1, 1, 1).completeExceptionally(cancelled);
        assertThat(dense(shard, 2, 1, 1, 1, 1))
                .as("as the push of a worker that has left counts")
                .isCompletedWithValue("3.0, 3.0, 3.0, 3.0");
        CompletableFuture<String> zero = dense(shard, 0, 1, 1, 1, 1);
        CompletableFuture<String> one = dense(shard, 1, 1, 1, 1, 1);
        zero.completeExceptionally(cancelled);
        CompletableFuture<String> again = dense(shard, 0, 1, 1, 1, 1);
        assertThatThrownBy(one::join).hasMessageContaining("the push was not applied");
        dense(shard, 1, 1, 1, 1, 1);
        assertThat(dense(shard, 2, 1, 1, 1, 1)).isCompletedWithValue("6.0, 6.0, 6.0, 6.0");
        assertThat(again).isDone();
    }

    @Test
    void thePushOfAWorkerThatIsGoneStays() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1));
        dense(shard, 0, 1, 1, 1, 1)
                .completeExceptionally(new PsException(PsException.Code.UNAVAILABLE, "the caller is gone"));
        assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
    }

    @Test
    void aSliceThatMovesKnowsWhichWorkersHaveEndedTheEpoch() throws IOException {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1, 2));
        Pushes.of(shard).pause(1);
        end(shard, 2);
        ByteArrayOutputStream moving = new ByteArrayOutputStream();
        Pushes.of(shard).saveMoving(new DataOutputStream(moving));
        TestShard other = sums(shard(new Add(1)).workers(0, 1, 2));
        Pushes.of(other).loadMoving(new DataInputStream(new ByteArrayInputStream(moving.toByteArray())));
        assertThat(dense(other, 0, 1, 1, 1, 1)).isCompletedWithValue("1.0, 1.0, 1.0, 1.0");
        Pushes.of(other).resume(Set.of(0, 1, 2));
        dense(other, 0, 1, 1, 1, 1);
        assertThat(dense(other, 1, 1, 1, 1, 1)).isNotDone();
        assertThat(dense(other, 2, 1, 1, 1, 1)).isCompletedWithValue("4.0, 4.0, 4.0, 4.0");
    }

    @Test
    void toEndPushesOfAnAsynchronousTensorChangesNothing() {
        TestShard shard = shard(new Add(1)).workers(0, 1);
        end(shard, 1);
        dense(shard, 0, 1, 1, 1, 1);
        end(shard, 0);
        assertThat(dense(shard, 0, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
    }

    @Test
    void aQuorumIsPartOfTheModeOfAShard() {
        TestShard shard = quorum(2, true, 0, 1, 2);
        Pushes.synchronize(shard, false, 2, true);
        assertThatThrownBy(() -> Pushes.synchronize(shard, false, 2, false)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Pushes.synchronize(shard, false, 0, false)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aWrongPushIsRefusedAndTheRoundGoesOn() {
        TestShard shard = sums(shard(new Add(1)).workers(0, 1));
        CompletableFuture<String> first = dense(shard, 0, 1, 1, 1, 1);
        assertThatThrownBy(() -> dense(shard, 1, 1, 1))
                .isInstanceOf(PsException.class)
                .hasMessage("BAD_REQUEST: update length: 2 (expected: 4 = 4 rows x 1 wide)");
        assertThatThrownBy(() -> sparse(shard, 1, new long[] {4}, 1))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.OUT_OF_RANGE));
        assertThat(first).isNotDone();
        assertThat(dense(shard, 1, 1, 1, 1, 1)).isCompletedWithValue("2.0, 2.0, 2.0, 2.0");
    }

    @Test
    void randomSparseRoundsAreTheSumsOfTheirRows() {
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            int rows = 1 + random.nextInt(50);
            int width = 1 + random.nextInt(5);
            TestShard shard = TestShard.whole(rows, width, new TiledOptimizer("add", new Add(1)))
                    .workers(0, 1, 2);
            Pushes.synchronize(shard, false, 0, false);
            double[] expected = new double[rows * width];
            for (int r = 0; r < 3; r++) {
                long[] keys = random.longs(random.nextInt(rows + 1), 0, rows)
                        .distinct()
                        .toArray();
                float[] update = new float[keys.length * width];
                for (int i = 0; i < update.length; i++) {
                    update[i] = random.nextFloat();
                    expected[(int) keys[i / width] * width + i % width] += update[i];
                }
                sparse(shard, r, keys, update);
            }
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) shard.values().get(i))
                        .as("seed %s, element %s", seed, i)
                        .isCloseTo(expected[i], within(1e-6));
            }
        }
    }

    @Test
    void aStepThatCannotBeginWaitsForNothing() {
        TiledOptimizer summing = new TiledOptimizer("test", new Lamb(0.1f, 0.9f, 0.999f, 1e-6f, 0));
        TestShard shard = TestShard.of(new Range(0, ROWS), 2 * ROWS, 1, summing).workers(0);
        assertThatThrownBy(() -> dense(shard, 0, 1, 2, 3, 4)).hasMessageStartingWith("call being answered: none");
        Pushes.requireNoStep(shard);
    }

    private static TestShard shard(Kernel kernel) {
        return TestShard.whole(ROWS, 1, new TiledOptimizer("test", kernel));
    }

    private static TestShard sums(TestShard shard) {
        Pushes.synchronize(shard, false, 0, false);
        return shard;
    }

    private static CompletableFuture<String> dense(TestShard shard, int worker, float... update) {
        return Pushes.of(shard.from(worker))
                .dense(FloatArray.wrap(update), () -> values(shard))
                .toCompletableFuture();
    }

    private static CompletableFuture<String> sparse(TestShard shard, int worker, long[] keys, float... update) {
        return Pushes.of(shard.from(worker))
                .sparse(LongArray.wrap(keys), FloatArray.wrap(update), () -> values(shard))
                .toCompletableFuture();
    }

    private static String values(TestShard shard) {
        String text = shard.values().toString();
        return text.substring(1, text.length() - 1);
    }
}
