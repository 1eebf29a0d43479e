package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.psf.acceptance.Clusters.Over;
import io.psf.acceptance.Tags.Mode;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Functions that had other names, and what may stand in texts, lists and maps, on whole clusters. */
@Timeout(60)
final class EvolutionTest {
    private static final boolean[] FLAGS = {true};

    /** A function as a peer has it that was built from another declaration. */
    private static class Declared<Q, R> extends Function<Q, R> {
        private final Function<Q, R> now;

        Declared(FunctionInfo info, Function<Q, R> now) {
            super(info);
            this.now = now;
        }

        @Override
        public @Nullable TensorId target(Q request) {
            return now.target(request);
        }

        @Override
        public void write(Q request, Routing routing, int part, TupleWriter out) {
            now.write(request, routing, part, out);
        }

        @Override
        public Q read(TupleReader in) {
            return now.read(in);
        }

        @Override
        public void writeAnswer(R answer, TupleWriter out) {
            now.writeAnswer(answer, out);
        }

        @Override
        public Merge<R> merge(Q request, Routing routing, @Nullable R into) {
            return now.merge(request, routing, into);
        }
    }

    private static PsException failure(Code code, ThrowingCallable call) {
        PsException e = catchThrowableOfType(PsException.class, call);
        assertThat(e).as("a PsException").isNotNull();
        assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
        return e;
    }

    private static Tags.Request request(TensorId tensor, Mode mode, List<String> words) {
        return new Tags.Request(tensor, mode, words, Map.of("w", 2), FLAGS, List.of());
    }

    private static Tags.Response call(Worker worker, Function<Tags.Request, Tags.Response> function, TensorId tensor) {
        return worker.call(function, request(tensor, Mode.ANSWER, List.of("a")), null, CallOptions.DEFAULT)
                .await();
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP"})
    void callersKnowAFunctionByItsFormerNameAndServersToo(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker(0);
            TensorId tensor = Tensors.init(worker, TensorSpec.dense("t", 10, 1));
            Function<Tags.Request, Tags.Response> now = TagsPsf.FUNCTION;
            FunctionInfo info = now.info();
            Tags.Response answer = call(worker, now, tensor);
            assertThat(answer.weights()).isEqualTo(Map.of("w", 4));

            Function<Tags.Request, Tags.Response> older = new Declared<>(info.as("acceptance.labels"), now);
            assertThat(call(worker, older, tensor)).isEqualTo(answer);
            Function<Tags.Request, Tags.Response> newer =
                    new Declared<>(info.as("acceptance.marks").formerly("acceptance.stickers", "acceptance.tags"), now);
            assertThat(call(worker, newer, tensor)).isEqualTo(answer);
            assertThat(call(worker, newer, tensor)).as("once more").isEqualTo(answer);
            Function<Tags.Request, Tags.Response> unknown =
                    new Declared<>(info.as("acceptance.marks").formerly("acceptance.stickers"), now);
            assertThat(failure(Code.UNKNOWN_FUNCTION, () -> call(worker, unknown, tensor)))
                    .hasMessageContaining("\"acceptance.marks\"");

            FunctionInfo other = FunctionInfo.of(
                    "acceptance.marks", info.place(), false, "acceptance.marks at SHARD (tensor:tensor) -> ()");
            Function<Tags.Request, Tags.Response> broken = new Declared<>(other.formerly("acceptance.tags"), now);
            assertThat(failure(Code.SCHEMA_MISMATCH, () -> call(worker, broken, tensor)))
                    .hasMessageContaining("schema: acceptance.tags at SHARD (tensor:tensor) -> ()");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP"})
    void whatAHandlerThrowsIsItsFailureCheckedOrNot(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker(0);
            TensorId tensor = Tensors.init(worker, TensorSpec.dense("t", 10, 1));
            assertThat(failure(Code.HANDLER_FAILED, () -> call(worker, request(tensor, Mode.THROW, List.of()))))
                    .hasMessageContaining("threw java.io.FileNotFoundException: vocabulary.txt");
        }
    }

    private static Tags.Response call(Worker worker, Tags.Request request) {
        return worker.call(TagsPsf.FUNCTION, request, null, CallOptions.DEFAULT).await();
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP"})
    void whatCannotBeWrittenIsAnErrorThatNamesIt(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker(0);
            TensorId t = Tensors.init(worker, TensorSpec.dense("t", 10, 1));
            assertThat(failure(Code.BAD_REQUEST, () -> call(worker, request(t, Mode.ANSWER, List.of("", "a\ud83d")))))
                    .hasMessageContaining("Request.words[1]: character 1: U+D83D");
            Tags.Request nested = new Tags.Request(
                    t,
                    Mode.ANSWER,
                    List.of(),
                    Map.of("ok", 1),
                    FLAGS,
                    List.of(new Tags.Item(Map.of()), new Tags.Item(Map.of("key", "\ude00b"))));
            assertThat(failure(Code.BAD_REQUEST, () -> call(worker, nested)))
                    .hasMessageContaining("Request.items[1].texts[\"key\"]: character 0: U+DE00");
            Tags.Request key = new Tags.Request(t, Mode.ANSWER, List.of(), Map.of("\ud83d", 1), FLAGS, List.of());
            assertThat(failure(Code.BAD_REQUEST, () -> call(worker, key)))
                    .hasMessageContaining("a key of Request.weights: character 0: U+D83D");
            assertThat(failure(Code.HANDLER_FAILED, () -> call(worker, request(t, Mode.LONE_SURROGATE, List.of()))))
                    .hasMessageContaining("Response.words[1]: character 4: U+D83D");

            assertThat(failure(Code.BAD_REQUEST, () -> call(worker, request(t, Mode.ANSWER, Arrays.asList("a", null)))))
                    .hasMessageContaining("words[1]: null (expected: a value");
            for (Map<String, Integer> weights :
                    List.of(withNull("b"), Collections.<String, Integer>singletonMap(null, 1))) {
                Tags.Request request = new Tags.Request(t, Mode.ANSWER, List.of(), weights, FLAGS, List.of());
                assertThat(failure(Code.BAD_REQUEST, () -> call(worker, request)))
                        .hasMessageContaining("weights")
                        .hasMessageContaining(weights.containsKey("b") ? "[\"b\"]: null" : "a key of ");
            }
            Function<Tags.Request, Tags.Response> malformed =
                    new Declared<>(TagsPsf.FUNCTION.info(), TagsPsf.FUNCTION) {
                        @Override
                        public void write(Tags.Request request, Routing routing, int part, TupleWriter out) {
                            out.i32(0);
                            out.count(1);
                            out.bytes(new byte[] {'a', (byte) 0xff});
                        }
                    };
            assertThat(failure(Code.PROTOCOL, () -> call(worker, malformed, t)))
                    .hasMessageContaining("text: byte 1 of 2 (expected: UTF-8)");
            assertThat(call(worker, TagsPsf.FUNCTION, t).words()).containsExactly("a", "a");
        }
    }

    private static Map<String, Integer> withNull(String key) {
        Map<String, Integer> map = new LinkedHashMap<>();
        map.put("a", 1);
        map.put(key, null);
        return map;
    }
}
