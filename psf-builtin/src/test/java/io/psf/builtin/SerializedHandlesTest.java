package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.optimizer.Schedule;
import io.psf.testkit.TestCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The handles of a model are written and read as Java objects, such as in the closure of a task. */
class SerializedHandlesTest {
    private static byte[] written(Object handle) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(handle);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T there(T handle) throws IOException, ClassNotFoundException {
        return (T) read(written(handle));
    }

    @Test
    void anIdIsEqualToItselfElsewhere() throws Exception {
        TensorId id = TensorId.of("embedding ä");
        assertThat(there(id)).isEqualTo(id).hasSameHashCodeAs(id).isNotSameAs(id);
        assertThat(there(id).number()).isEqualTo(id.number());
    }

    @Test
    void whatWasChangedOnTheWayIsRefused() throws Exception {
        String text = new String(written(TensorId.of("embedding")), StandardCharsets.ISO_8859_1);
        String forged = text.replace("embedding", "embed\ning");
        assertThat(forged).isNotEqualTo(text);
        assertThatThrownBy(() -> read(forged.getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tensor");
    }

    @Test
    void specsArriveWithAllTheirOptions() throws Exception {
        OptimizerSpec optimizer =
                Optimizers.adam(0.01).clipNorm(2).weightDecay(0.5).schedule(Schedule.cosine(100, 0.1));
        assertThat(there(optimizer)).isEqualTo(optimizer).hasToString(optimizer.toString());
        assertThat(there(Schedule.cosine(100, 0.1))).isEqualTo(Schedule.cosine(100, 0.1));
        TablePolicy policy = TablePolicy.keepAll()
                .admitAfter(3)
                .expireAfter(Duration.ofHours(2))
                .mostRows(1000)
                .leastFrequentFirst();
        assertThat(there(policy)).isEqualTo(policy);
        Initializer normal = Initializers.normal(0, 1, 5);
        assertThat(there(normal)).isEqualTo(normal);

        TensorSpec dense = TensorSpec.dense("w", 6, 2)
                .optimizer(optimizer)
                .initializer(normal)
                .updates(Updates.MEAN)
                .quorum(2, Late.NEXT)
                .slices(3)
                .storage(FloatType.BFLOAT16);
        TensorSpec table = TensorSpec.growing("t", 4)
                .optimizer(Optimizers.adaGrad(0.1))
                .policy(policy)
                .beside(TensorId.of("w"));
        for (TensorSpec spec : List.of(dense, table)) {
            assertThat(there(spec)).isEqualTo(spec).hasToString(spec.toString());
        }
    }

    @Test
    void givenValuesAreWrittenWithTheInitializer() throws Exception {
        float[] values = {1, 2, 3, 4, 5, 6};
        TensorSpec spec = there(TensorSpec.dense("w", 3, 2).initializer(Initializers.of(values)));
        TestCluster cluster = TestCluster.of(2, 1);
        TensorId id = Tensors.init(cluster, spec);
        assertThat(Tensors.pull(cluster, id)).containsExactly(values);
        assertThat(Tensors.init(cluster, TensorSpec.dense("w", 3, 2).initializer(Initializers.of(values))))
                .isEqualTo(id);
    }

    /** A caller that can be written: it says which one it is where it is read. */
    private record Remote(String name) implements FunctionCaller, Serializable {
        @Override
        public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
            throw new PsException(
                    PsException.Code.CLOSED, name + " calls " + function.info().name() + " " + options);
        }
    }

    @Test
    void aStubIsWrittenWithItsCallerAndItsOptions() throws Exception {
        DensePullPsf.Stub stub = there(DensePullPsf.stub(new Remote("driver"))
                .withDeadline(Duration.ofSeconds(7))
                .withPriority(3));
        assertThatThrownBy(() -> stub.call(TensorId.of("w")))
                .hasMessageContaining("driver calls psf.dense.pull CallOptions[deadline=PT7S, priority=3, "
                        + "withoutLost=false, background=false]");
    }

    @Test
    void aStubWhoseCallerCannotBeWrittenSaysSo() {
        assertThatThrownBy(() -> written(DensePushPsf.stub(TestCluster.of(1, 1))))
                .isInstanceOf(NotSerializableException.class)
                .hasMessageContaining(TestCluster.class.getName());
    }

    @Test
    void anInitializerOfAUsersIsWrittenByItsName() throws Exception {
        Initializer own = Initializers.of("acme.identity", Map.of("scale", 2));
        assertThat(there(own)).isEqualTo(own);
    }
}
