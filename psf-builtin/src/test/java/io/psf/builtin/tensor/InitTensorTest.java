package io.psf.builtin.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.Optimizers;
import io.psf.builtin.checkpoint.Declaration;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.initializer.Normal;
import io.psf.builtin.push.Pushes;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InitTensorTest {
    private static final TensorId W = TensorId.of("w");
    private static final InitTensor INIT = new InitTensor() {};

    private static TestCluster cluster() {
        return PsfTest.of(InitTensorPsf.bind(INIT)).on(2);
    }

    @Test
    void eachServerMakesTheShardsOfItsOwnRank() {
        StoredNode zero = cluster().server(0);
        StoredNode one = cluster().server(1);
        assertThat(INIT.handle(request(false, 0, 3, 7, 10), zero).created()).isEqualTo(2);
        assertThat(INIT.handle(request(false, 0, 3, 7, 10), one).created()).isEqualTo(1);
        assertThat(zero.shards(W)).extracting(Node.ShardInfo::slice).containsExactly(0, 2);
        assertThat(one.shards(W)).extracting(Node.ShardInfo::slice).containsExactly(1);
    }

    @Test
    void theValuesAreTheSameHoweverTheTensorIsSliced() {
        TestCluster whole = cluster();
        INIT.handle(request(false, 0, 10), whole.server(0));
        float[] expected = whole.shard(W, 0).values().toArray();
        TestCluster cluster = cluster();
        INIT.handle(request(false, 0, 3, 7, 10), cluster.server(0));
        INIT.handle(request(false, 0, 3, 7, 10), cluster.server(1));
        FloatArray joined = FloatArray.allocate(expected.length);
        for (int slice = 0; slice < 3; slice++) {
            TestShard shard = cluster.shard(W, slice);
            joined.copyFrom((int) shard.range().begin() * shard.width(), shard.values());
        }
        assertThat(joined.toArray()).isEqualTo(expected);
    }

    /** Returns the shard as one that generates its values itself, if it knows the generator. */
    private static GeneratingShard generating(Shard shard, boolean knows, List<Generator> seen) {
        return (GeneratingShard) Proxy.newProxyInstance(
                GeneratingShard.class.getClassLoader(),
                new Class<?>[] {GeneratingShard.class},
                (self, method, arguments) -> {
                    if (method.getDeclaringClass() == GeneratingShard.class) {
                        seen.add((Generator) arguments[0]);
                        return knows;
                    }
                    return method.invoke(shard, arguments);
                });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aShardThatKnowsTheGeneratorIsNotWrittenTo(boolean knows) {
        InitTensor.Request request = request(false, 0, 10);
        TensorInfo info = new TensorInfo(W, 10, 4);
        Generator generator = new Normal(0, 1, 7);
        FirstValues first = FirstValues.of(info, request, generator);
        Range range = new Range(3, 7);
        TestShard shard = TestShard.of(range, 10, 4, Optimizers.add().create());
        List<Generator> seen = new ArrayList<>();
        first.fill(generating(shard, knows, seen));
        assertThat(seen).containsExactly(generator);
        FloatArray expected = FloatArray.allocate(16);
        if (!knows) {
            generator.fill(expected, 12);
        }
        assertThat(shard.values()).isEqualTo(expected);
        assertThat(Declaration.of(shard).text())
                .contains("initializer=psf.normal(mean=0, seed=7, stddev=1) optimizer=psf.add(scale=1)");
    }

    @Test
    void anIdenticalRepeatChangesNothing() {
        TestCluster cluster = cluster();
        StoredNode node = cluster.server(0);
        INIT.handle(request(false, 0, 10), node);
        cluster.shard(W, 0).values().fill(3);
        assertThat(INIT.handle(request(false, 0, 10), node).created()).isZero();
        assertThat(cluster.shard(W, 0).values().toArray()).containsOnly(3);
    }

    @Test
    void aSynchronousTensorCollectsRounds() {
        TestCluster cluster = cluster();
        INIT.handle(request(true, 0, 10), cluster.server(0));
        TestShard shard = cluster.shard(W, 0).workers(0, 1);
        FloatArray update = FloatArray.allocate(40);
        assertThat(Pushes.of(shard.from(0)).dense(update, () -> 1).toCompletableFuture())
                .isNotDone();
        assertThat(Pushes.of(shard.from(1)).dense(update, () -> 1).toCompletableFuture())
                .isDone();
    }

    @Test
    void slicesWithoutServersAreRefused() {
        InitTensor.Request good = request(false, 0, 10);
        InitTensor.Request bad = new InitTensor.Request(
                good.tensor(),
                10,
                4,
                FloatTypes.FLOAT32,
                good.initializer(),
                good.initializerArguments(),
                good.optimizer(),
                good.optimizerArguments(),
                good.optimizerOptions(),
                false,
                false,
                LongArray.of(0, 5, 10),
                IntArray.of(0),
                0,
                "",
                0,
                false,
                Map.of());
        assertThatThrownBy(() -> INIT.handle(bad, cluster().server(0)))
                .isInstanceOf(PsException.class)
                .hasMessage("BAD_REQUEST: bounds length: 3 (expected: 2, one more than servers)");
    }

    @Test
    void clearDropsTheShards() {
        StoredNode node = cluster().server(0);
        INIT.handle(request(false, 0, 3, 7, 10), node);
        Clear clear = new Clear() {};
        assertThat(clear.handle(new Clear.Request(W), node).dropped()).isEqualTo(2);
        assertThat(clear.handle(new Clear.Request(W), node).dropped()).isZero();
    }

    private static InitTensor.Request request(boolean synchronous, long... bounds) {
        int[] servers = new int[bounds.length - 1];
        for (int s = 0; s < servers.length; s++) {
            servers[s] = s % 2;
        }
        return new InitTensor.Request(
                W,
                10,
                4,
                FloatTypes.FLOAT32,
                "psf.normal",
                Map.of("mean", "0", "stddev", "1", "seed", "7"),
                "psf.add",
                Map.of("scale", "1"),
                Map.of(),
                synchronous,
                false,
                LongArray.wrap(bounds),
                IntArray.wrap(servers),
                0,
                "",
                0,
                false,
                Map.of());
    }
}
