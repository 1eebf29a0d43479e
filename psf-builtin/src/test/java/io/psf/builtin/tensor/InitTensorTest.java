package io.psf.builtin.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.DeclaredTensor;
import io.psf.api.Node;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.Optimizers;
import io.psf.builtin.image.Declaration;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.initializer.Normal;
import io.psf.builtin.push.Pushes;
import io.psf.testkit.PsfTest;
import io.psf.testkit.TestCluster;
import io.psf.testkit.TestShard;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
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
        assertThat(init(zero, tensor(false, 0, 3, 7, 10))).isEqualTo(2);
        assertThat(init(one, tensor(false, 0, 3, 7, 10))).isEqualTo(1);
        assertThat(zero.shards(W)).extracting(Node.ShardInfo::slice).containsExactly(0, 2);
        assertThat(one.shards(W)).extracting(Node.ShardInfo::slice).containsExactly(1);
    }

    @Test
    void theValuesAreTheSameHoweverTheTensorIsSliced() {
        TestCluster whole = cluster();
        init(whole.server(0), tensor(false, 0, 10));
        float[] expected = whole.shard(W, 0).values().toArray();
        TestCluster cluster = cluster();
        init(cluster.server(0), tensor(false, 0, 3, 7, 10));
        init(cluster.server(1), tensor(false, 0, 3, 7, 10));
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
        Generator generator = new Normal(0, 1, 7);
        FirstValues first = FirstValues.of(tensor(false, 0, 10), generator);
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
        init(node, tensor(false, 0, 10));
        cluster.shard(W, 0).values().fill(3);
        assertThat(init(node, tensor(false, 0, 10))).isZero();
        assertThat(cluster.shard(W, 0).values().toArray()).containsOnly(3);
    }

    @Test
    void aSynchronousTensorCollectsRounds() {
        TestCluster cluster = cluster();
        init(cluster.server(0), tensor(true, 0, 10));
        TestShard shard = cluster.shard(W, 0).workers(0, 1);
        FloatArray update = FloatArray.allocate(40);
        assertThat(Pushes.of(shard.from(0)).dense(update, () -> 1).toCompletableFuture())
                .isNotDone();
        assertThat(Pushes.of(shard.from(1)).dense(update, () -> 1).toCompletableFuture())
                .isDone();
    }

    @Test
    void clearDropsTheShards() {
        StoredNode node = cluster().server(0);
        init(node, tensor(false, 0, 3, 7, 10));
        Clear clear = new Clear() {};
        assertThat(clear.handle(new Clear.Request(W), node)).isCompletedWithValue(new Clear.Response(2));
        assertThat(clear.handle(new Clear.Request(W), node)).isCompletedWithValue(new Clear.Response(0));
    }

    /** Returns the tensor with the slices on the servers 0 and 1 by turns. */
    private static DeclaredTensor tensor(boolean synchronous, long... bounds) {
        TensorDeclaration declaration = new TensorDeclaration(
                new TensorInfo(W, 10, 4),
                0,
                "",
                Node.HOST,
                new Rule("psf.normal", Map.of("mean", "0", "stddev", "1", "seed", "7"), Map.of()),
                new Rule("psf.add", Map.of("scale", "1"), Map.of()),
                new Rounds(synchronous, false, 0, false),
                Map.of(),
                "");
        List<Integer> servers = IntStream.range(0, bounds.length - 1)
                .mapToObj(slice -> slice % 2)
                .toList();
        return new DeclaredTensor(
                declaration,
                new TensorLayout(
                        declaration.info(), Arrays.stream(bounds).boxed().toList(), servers));
    }

    /** Makes the shards of a server; returns their number. */
    private static int init(StoredNode server, DeclaredTensor tensor) {
        StoredNode knowing = (StoredNode) Proxy.newProxyInstance(
                StoredNode.class.getClassLoader(),
                new Class<?>[] {StoredNode.class},
                (self, method, arguments) -> method.getName().equals("declared")
                        ? CompletableFuture.completedStage(List.of(tensor))
                        : method.invoke(server, arguments));
        return INIT.handle(new InitTensor.Request(List.of(W), 0), knowing)
                .toCompletableFuture()
                .join()
                .created();
    }
}
