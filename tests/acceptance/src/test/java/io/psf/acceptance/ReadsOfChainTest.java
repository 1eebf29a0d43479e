package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of a chain that only read: their shards may read the values of all of them at once. */
@Timeout(60)
final class ReadsOfChainTest {
    private static final int WIDTH = 3;

    private final PsCluster cluster = Clusters.start(Over.TCP, 1, 1);
    private final Worker worker = cluster.worker();
    private final List<TensorId> tables = List.of(table("a"), table("b"), table("c"));

    private TensorId table(String name) {
        return Tensors.init(worker, TensorSpec.table(name, 100, WIDTH).slices(1).placement(TogetherFactory.TOGETHER));
    }

    @BeforeEach
    void begin() {
        TogetherFactory.EVENTS.clear();
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private static Pending<SparsePull.Response> pull(Chain chain, TensorId table, long key) {
        return SparsePullPsf.stub(chain).call(table, LongArray.of(key));
    }

    private static Pending<?> push(Chain chain, TensorId table, long key) {
        return SparsePushPsf.stub(chain).call(table, LongArray.of(key), FloatArray.of(1, 1, 1));
    }

    private static float value(Pending<SparsePull.Response> pulled) {
        return pulled.await().values().get(0);
    }

    @Test
    void areReadAfterAllHaveBeenHandled() {
        for (int i = 0; i < 3; i++) {
            Tensors.pushRows(worker, tables.get(i), new long[] {i}, new float[] {i + 1, 0, 0})
                    .await();
        }
        Chain chain = worker.chain();
        List<Pending<SparsePull.Response>> pulled = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pulled.add(pull(chain, tables.get(i), i));
        }
        chain.send();
        assertThat(pulled.stream().map(ReadsOfChainTest::value)).containsExactly(1f, 2f, 3f);
        assertThat(TogetherFactory.EVENTS)
                .containsExactly("handled 0", "handled 1", "handled 2", "read 0", "read 1", "read 2");
    }

    @Test
    void areReadBeforeACallThatChangesValues() {
        Chain chain = worker.chain();
        Pending<SparsePull.Response> before = pull(chain, tables.get(0), 5);
        var unused = push(chain, tables.get(0), 5);
        Pending<SparsePull.Response> after = pull(chain, tables.get(0), 5);
        chain.send();
        assertThat(List.of(value(before), value(after))).containsExactly(0f, 1f);
        assertThat(TogetherFactory.EVENTS).containsExactly("handled 5", "read 5", "handled 5", "read 5");
    }

    @Test
    void areReadBeforeACallWhoseShardPutsNothingOff() {
        TensorId host =
                Tensors.init(worker, TensorSpec.table("host", 100, WIDTH).slices(1));
        Chain chain = worker.chain();
        Pending<SparsePull.Response> first = pull(chain, tables.get(0), 5);
        Pending<SparsePull.Response> ofHost = pull(chain, host, 6);
        Pending<SparsePull.Response> last = pull(chain, tables.get(0), 7);
        chain.send();
        assertThat(List.of(value(first), value(ofHost), value(last))).containsOnly(0f);
        assertThat(TogetherFactory.EVENTS).containsExactly("handled 5", "read 5", "handled 7", "read 7");
    }

    /** The call behind one whose reading fails has been handled, and is not answered; a push behind it does not run. */
    @Test
    void thoseBehindAFailedOneAreCancelled() {
        Chain chain = worker.chain();
        Pending<SparsePull.Response> before = pull(chain, tables.get(0), 5);
        Pending<SparsePull.Response> faulty = pull(chain, tables.get(1), TogetherFactory.FAULTY);
        Pending<SparsePull.Response> behind = pull(chain, tables.get(2), 7);
        Pending<?> push = push(chain, tables.get(0), 5);
        chain.send();
        assertThat(value(before)).isZero();
        assertThatThrownBy(faulty::await).hasMessageContaining("a defect of the shard");
        for (Pending<?> cancelled : List.of(behind, push)) {
            assertThatThrownBy(cancelled::await)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.CANCELLED))
                    .hasMessageContaining("a call before it in the chain failed");
        }
        assertThat(TogetherFactory.EVENTS).containsExactly("handled 5", "handled 13", "handled 7", "read 5", "read 13");
        assertThat(Tensors.pull(worker, tables.get(0))).containsOnly(0f);
    }

    @Test
    void areSixtyFourAtMost() {
        Chain chain = worker.chain();
        List<Pending<SparsePull.Response>> pulled = new ArrayList<>();
        for (int i = 0; i < 70; i++) {
            pulled.add(pull(chain, tables.get(i % 3), 20));
        }
        chain.send();
        assertThat(pulled.stream().map(ReadsOfChainTest::value)).containsOnly(0f);
        List<String> events = TogetherFactory.EVENTS;
        assertThat(events.indexOf("read 20")).isEqualTo(64);
        assertThat(events.subList(64, 128)).containsOnly("read 20");
        assertThat(events).hasSize(140);
    }

    @Test
    void aloneNothingIsPutOff() {
        Chain chain = worker.chain();
        Pending<SparsePull.Response> one = pull(chain, tables.get(0), 5);
        chain.send();
        assertThat(value(one)).isZero();
        Tensors.pullRows(worker, tables.get(0), new long[] {6}, new float[WIDTH])
                .await();
        assertThat(TogetherFactory.EVENTS).containsExactly("read 5", "read 6");
    }
}
