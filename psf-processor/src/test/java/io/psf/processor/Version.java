package io.psf.processor;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.Merge;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A function that was drawn, as it was in a version, compiled.
 *
 * @param drawn the function
 * @param version the version
 * @param classes where its classes are
 */
record Version(RandomFunction drawn, int version, ClassLoader classes) {
    static final TensorId TENSOR = TensorId.of("t");

    List<Column> request() {
        return drawn.request(version);
    }

    List<Column> response() {
        return drawn.response(version);
    }

    Class<?> type(String suffix) {
        try {
            return classes.loadClass(drawn.qualified() + suffix);
        } catch (ClassNotFoundException e) {
            throw new LinkageError(suffix, e);
        }
    }

    @SuppressWarnings("unchecked")
    Function<Object, Object> function() {
        try {
            return (Function<Object, Object>) type("Psf").getField("FUNCTION").get(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(drawn.qualified(), e);
        }
    }

    /** The result of answers that have all been added. */
    static Object result(Merge<Object> merge, int parts) {
        for (int part = 0; part < parts; part++) {
            merge.decode(part);
        }
        return merge.result();
    }

    /** The responses that the function's own merge was given last. */
    List<?> merged() {
        try {
            return (List<?>) type("").getField("SEEN").get(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(drawn.qualified(), e);
        }
    }

    /** A request or a response of the values by name; arrays may be lists of their elements. */
    Object tuple(String name, Map<String, @Nullable Object> values) {
        Class<?> type = type("$" + name);
        return Tuples.of(
                type,
                Arrays.stream(type.getRecordComponents())
                        .map(each -> value(each, values.get(each.getName())))
                        .toArray());
    }

    private static @Nullable Object value(RecordComponent component, @Nullable Object value) {
        return value instanceof List<?> elements && component.getType() != List.class
                ? Elements.array(component.getType(), elements)
                : value == null ? null : Tuples.as(component.getGenericType(), value, Integer.MAX_VALUE);
    }

    /** The components of a tuple as text. */
    static Map<String, String> texts(Object tuple) {
        Map<String, String> texts = new HashMap<>();
        for (RecordComponent each : tuple.getClass().getRecordComponents()) {
            texts.put(each.getName(), Tuples.text(Tuples.get(tuple, each.getName())));
        }
        return texts;
    }

    /** A component without a layout as it comes from a peer of a version, as text. */
    String from(int known, String tuple, String component, @Nullable Object value) {
        return value == null
                ? "null"
                : Tuples.text(Tuples.as(component(tuple, component).getGenericType(), value, known));
    }

    /** What stands for a component that was not sent, as text. */
    String empty(String tuple, String component) {
        return Tuples.text(Tuples.empty(component(tuple, component)));
    }

    RecordComponent component(String tuple, String name) {
        return Arrays.stream(type("$" + tuple).getRecordComponents())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A random value of a component without a layout. */
    @Nullable
    Object random(String tuple, String name, Random random) {
        RecordComponent component = component(tuple, name);
        boolean tensor = component.getType() == TensorId.class;
        return tensor && name.equals(target()) ? TENSOR : Tuples.random(component, random, random.nextInt(4));
    }

    private String target() {
        return request().stream()
                .filter(each -> each.lay() == Column.Lay.TARGET)
                .map(Column::name)
                .findFirst()
                .orElse("");
    }

    /** The request that the stub makes for callers of an older version. */
    Object requestOf(Version older, Object request) throws ReflectiveOperationException {
        List<Object> requests = new ArrayList<>();
        Caller caller = new FunctionCaller() {
            @Override
            @SuppressWarnings("NullAway")
            public <Q, R> Pending<R> call(Function<Q, R> function, Q made, @Nullable R into, CallOptions options) {
                requests.add(made);
                return null;
            }
        };
        Object stub = type("Psf").getMethod("stub", Caller.class).invoke(null, caller);
        Class<?>[] types = Arrays.stream(type("$Request").getRecordComponents())
                .limit(older.request().size())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        Method call = stub.getClass().getMethod("call", types);
        call.setAccessible(true);
        @Nullable
        Object[] arguments = older.request().stream()
                .map(each -> value(component("Request", each.name()), Tuples.get(request, each.name())))
                .toArray();
        call.invoke(stub, arguments);
        return requests.get(0);
    }

    static TupleReader reader(TupleWriter out, int version) {
        return reader(bytes(out), out.blockLength(), out.arrays(), version);
    }

    static TupleReader reader(byte[] body, int block, int arrays, int version) {
        return new TupleReader(ByteBuffer.wrap(body), block, arrays, version, TENSOR);
    }

    static byte[] bytes(TupleWriter out) {
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return body.array();
    }
}
