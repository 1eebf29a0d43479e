package io.psf.builtin.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.HeapNode;
import io.psf.builtin.HeapShard;
import io.psf.builtin.initializer.Distribution;
import io.psf.builtin.optimizer.Rule;
import io.psf.builtin.push.Pushes;
import org.junit.jupiter.api.Test;

class InitTensorTest {
    private static final InitTensor INIT = new InitTensor() {};

    @Test
    void eachServerMakesTheShardsOfItsOwnRank() {
        HeapNode zero = new HeapNode(0);
        HeapNode one = new HeapNode(1);
        assertThat(INIT.handle(request(false, 0, 3, 7, 10), zero).created()).isEqualTo(2);
        assertThat(INIT.handle(request(false, 0, 3, 7, 10), one).created()).isEqualTo(1);
        assertThat(zero.made).containsOnlyKeys(0, 2);
        assertThat(one.made).containsOnlyKeys(1);
    }

    @Test
    void theValuesAreTheSameHoweverTheTensorIsSliced() {
        HeapNode whole = new HeapNode(0);
        INIT.handle(request(false, 0, 10), whole);
        float[] expected = whole.shard(0).values().toArray();
        HeapNode zero = new HeapNode(0);
        HeapNode one = new HeapNode(1);
        INIT.handle(request(false, 0, 3, 7, 10), zero);
        INIT.handle(request(false, 0, 3, 7, 10), one);
        FloatArray joined = FloatArray.allocate(expected.length);
        for (HeapNode node : new HeapNode[] {zero, one}) {
            for (HeapShard shard : node.made.values()) {
                joined.copyFrom((int) shard.range().begin() * shard.width(), shard.values());
            }
        }
        assertThat(joined.toArray()).isEqualTo(expected);
    }

    @Test
    void anIdenticalRepeatChangesNothing() {
        HeapNode node = new HeapNode(0);
        INIT.handle(request(false, 0, 10), node);
        node.shard(0).values().fill(3);
        assertThat(INIT.handle(request(false, 0, 10), node).created()).isZero();
        assertThat(node.shard(0).values().toArray()).containsOnly(3);
    }

    @Test
    void aSynchronousTensorCollectsRounds() {
        HeapNode node = new HeapNode(0);
        INIT.handle(request(true, 0, 10), node);
        HeapShard shard = node.shard(0).workers(0, 1);
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
                good.distribution(),
                0,
                1,
                7,
                good.rule(),
                good.arguments(),
                false,
                false,
                LongArray.of(0, 5, 10),
                IntArray.of(0),
                0);
        assertThatThrownBy(() -> INIT.handle(bad, new HeapNode(0)))
                .isInstanceOf(PsException.class)
                .hasMessage("BAD_REQUEST: bounds length: 3 (expected: 2, one more than servers)");
    }

    @Test
    void clearDropsTheShards() {
        HeapNode node = new HeapNode(0);
        INIT.handle(request(false, 0, 3, 7, 10), node);
        Clear clear = new Clear() {};
        assertThat(clear.handle(new Clear.Request(TensorId.of("w")), node).dropped())
                .isEqualTo(2);
        assertThat(clear.handle(new Clear.Request(TensorId.of("w")), node).dropped())
                .isZero();
    }

    private static InitTensor.Request request(boolean synchronous, long... bounds) {
        int[] servers = new int[bounds.length - 1];
        for (int s = 0; s < servers.length; s++) {
            servers[s] = s % 2;
        }
        return new InitTensor.Request(
                TensorId.of("w"),
                10,
                4,
                Distribution.NORMAL,
                0,
                1,
                7,
                Rule.ADD,
                FloatArray.of(1),
                synchronous,
                false,
                LongArray.wrap(bounds),
                IntArray.wrap(servers),
                0);
    }
}
