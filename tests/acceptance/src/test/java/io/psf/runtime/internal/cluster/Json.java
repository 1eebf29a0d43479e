package io.psf.runtime.internal.cluster;

import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.SharedArray;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** JSON as maps, lists and numbers; and the tuples of functions as such. Bytes are hexadecimal digits. */
public final class Json {
    /** The longest value on one line. */
    private static final int LINE = 110;

    private Json() {}

    /** Reads a document: JSON is YAML. */
    @SuppressWarnings("unchecked") // a document is an object
    static Map<String, Object> read(String text) {
        return (Map<String, Object>) new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    /** Returns a tuple, or a part of one, as JSON. */
    public static @Nullable Object of(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        } else if (value instanceof FloatArray floats) {
            return list(floats.toArray());
        } else if (value != null && value.getClass().isArray()) {
            return list(value);
        } else if (value instanceof SharedArray) {
            return list(call(value, "toArray"));
        } else if (value instanceof List<?> list) {
            return list.stream().map(Json::of).collect(Collectors.toCollection(ArrayList::new));
        } else if (value instanceof Map<?, ?> map) {
            Map<Object, Object> object = new LinkedHashMap<>();
            map.forEach((key, each) -> object.put(key, of(each)));
            return object;
        } else if (value instanceof Record) {
            Map<String, Object> object = new LinkedHashMap<>();
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                object.put(component.getName(), of(call(value, component.getName())));
            }
            return object;
        }
        return value == null || value instanceof Number || value instanceof Boolean ? value : value.toString();
    }

    /** Returns a layout as JSON. */
    public static Map<String, Object> place(TensorLayout layout) {
        Map<String, Object> place = new LinkedHashMap<>();
        place.put("tensor", layout.info().id().name());
        place.put("rows", layout.info().rows());
        place.put("width", layout.info().width());
        place.put("wire", layout.info().types().wire().name());
        place.put("bounds", layout.bounds());
        place.put("servers", layout.servers());
        place.put("version", layout.version());
        place.put("lanes", layout.lanes());
        return place;
    }

    private static List<Object> list(Object array) {
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
            list.add(java.lang.reflect.Array.get(array, i));
        }
        return list;
    }

    private static Object call(Object on, String method) {
        try {
            Method accessor = on.getClass().getMethod(method);
            accessor.setAccessible(true);
            return accessor.invoke(on);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns a record of that type. The object may have other entries besides the record's components. */
    static <T> T to(Class<T> type, Object json) {
        return required(type.cast(value(type, json)));
    }

    private static @Nullable Object value(Type type, @Nullable Object json) {
        if (json == null) {
            return null;
        } else if (type instanceof ParameterizedType generic) {
            return json instanceof List<?> list
                    ? list.stream()
                            .map(each -> value(argument(generic, 0), each))
                            .toList()
                    : object(json).entrySet().stream()
                            .collect(Collectors.toMap(
                                    Map.Entry::getKey, each -> value(argument(generic, 1), each.getValue())));
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isRecord()) {
            return record(plain, object(json));
        } else if (plain == TensorId.class) {
            return TensorId.of((String) json);
        } else if (plain == byte[].class) {
            return HexFormat.of().parseHex((String) json);
        } else if (plain.isEnum()) {
            return Arrays.stream(plain.getEnumConstants())
                    .filter(each -> each.toString().equals(json))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(plain + ": " + json));
        } else if (json instanceof Number number) {
            return number(plain, number);
        }
        return json instanceof List<?> list ? array(plain, list) : json;
    }

    private static Type argument(ParameterizedType of, int i) {
        return of.getActualTypeArguments()[i];
    }

    private static Object number(Class<?> type, Number number) {
        return switch (type.getSimpleName()) {
            case "byte" -> number.byteValue();
            case "short" -> number.shortValue();
            case "int", "Integer" -> number.intValue();
            case "long", "Long" -> number.longValue();
            case "float" -> number.floatValue();
            default -> number.doubleValue();
        };
    }

    private static Object array(Class<?> type, List<?> list) {
        double[] doubles =
                list.stream().mapToDouble(each -> ((Number) each).doubleValue()).toArray();
        long[] longs =
                list.stream().mapToLong(each -> ((Number) each).longValue()).toArray();
        if (type == LongArray.class) {
            return LongArray.wrap(longs);
        } else if (type == IntArray.class) {
            return IntArray.wrap(
                    Arrays.stream(longs).mapToInt(each -> (int) each).toArray());
        } else if (type == DoubleArray.class) {
            return DoubleArray.wrap(doubles);
        } else if (type == ByteArray.class) {
            byte[] bytes = new byte[longs.length];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) longs[i];
            }
            return ByteArray.wrap(bytes);
        }
        if (type == int[].class) {
            return Arrays.stream(longs).mapToInt(each -> (int) each).toArray();
        } else if (type == long[].class) {
            return longs;
        }
        FloatArray floats = FloatArray.allocate(doubles.length);
        for (int i = 0; i < doubles.length; i++) {
            floats.set(i, (float) doubles[i]);
        }
        return floats;
    }

    private static Object record(Class<?> type, Map<String, Object> json) {
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            if (!json.containsKey(components[i].getName())) {
                throw new IllegalArgumentException(
                        type + ": no \"" + components[i].getName() + "\" in " + json.keySet());
            }
            types[i] = components[i].getType();
            values[i] = value(components[i].getGenericType(), json.get(components[i].getName()));
        }
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(type + ": " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Returns an entry of an object. */
    static String string(Map<String, Object> json, String key) {
        return (String) required(json.get(key));
    }

    /** Returns an entry of an object. */
    static long number(Map<String, Object> json, String key) {
        return ((Number) required(json.get(key))).longValue();
    }

    /** Returns an entry of an object. */
    static List<?> list(Map<String, Object> json, String key) {
        return (List<?>) required(json.get(key));
    }

    /** Returns what is not null. */
    static <T> T required(@Nullable T value) {
        return Objects.requireNonNull(value, "missing (expected: an entry of the file)");
    }

    /** Returns JSON that is an object. */
    @SuppressWarnings("unchecked") // keys of JSON are strings
    static Map<String, Object> object(@Nullable Object json) {
        return (Map<String, Object>) required(json);
    }

    /** Returns JSON that is a list of objects; empty for null. */
    static List<Map<String, Object>> objects(@Nullable Object json) {
        return json == null
                ? List.of()
                : ((List<?>) json).stream().map(Json::object).toList();
    }

    /** Writes a document. A value that fits on a line is on one. */
    public static String text(Object json) {
        return text(json, "") + "\n";
    }

    private static String text(@Nullable Object json, String indent) {
        String line = line(json);
        boolean isObject = json instanceof Map;
        if (indent.length() + line.length() <= LINE || !isObject && !(json instanceof List)) {
            return line;
        }
        List<String> entries = new ArrayList<>();
        if (isObject) {
            object(json).forEach((key, value) -> entries.add(line(key) + ": " + text(value, indent + "  ")));
        } else {
            ((List<?>) required(json)).forEach(each -> entries.add(text(each, indent + "  ")));
        }
        return entries.stream()
                .collect(Collectors.joining(
                        ",\n" + indent + "  ",
                        (isObject ? "{" : "[") + "\n" + indent + "  ",
                        "\n" + indent + (isObject ? "}" : "]")));
    }

    private static String line(@Nullable Object json) {
        if (json instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(each -> line(each.getKey()) + ": " + line(each.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        } else if (json instanceof List<?> list) {
            return list.stream().map(Json::line).collect(Collectors.joining(", ", "[", "]"));
        } else if (json instanceof String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
        }
        return String.valueOf(json);
    }
}
