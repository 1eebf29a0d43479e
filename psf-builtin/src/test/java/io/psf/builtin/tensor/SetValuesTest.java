package io.psf.builtin.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.Optimizers;
import io.psf.testkit.TestShard;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class SetValuesTest {
    /** As a shard on a device. */
    @Test
    void givenValuesReachAShardWithoutAViewOfItsValues() {
        TestShard host = TestShard.whole(2, 1, Optimizers.sgd(1).create());
        StoredShard shard = (StoredShard) Proxy.newProxyInstance(
                StoredShard.class.getClassLoader(), new Class<?>[] {StoredShard.class}, (self, method, arguments) -> {
                    assertThat(method.getName()).isNotEqualTo("values");
                    try {
                        return method.invoke(host, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        SetValues function = new SetValues() {};
        var unused = function.handle(new SetValues.Request(host.spec().id(), FloatArray.of(3, 4)), shard);
        unused = function.handle(new SetValues.Request(host.spec().id(), FloatArray.of(5, 6)), shard);
        assertThat(host.values().toArray()).containsExactly(3, 4);
    }
}
