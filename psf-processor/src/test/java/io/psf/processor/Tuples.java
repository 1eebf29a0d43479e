package io.psf.processor;

import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.Unknown;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Tuples of functions that were compiled by a test. */
final class Tuples {
    private Tuples() {}

    /** A record of the given values. */
    static Object of(Class<?> type, @Nullable Object... values) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(type.getName(), e);
        }
    }

    /** The component of that name. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    static <T> T get(Object tuple, String name) {
        for (RecordComponent each : tuple.getClass().getRecordComponents()) {
            if (each.getName().equals(name)) {
                return (T) get(tuple, each);
            }
        }
        throw new IllegalArgumentException(name + " in " + tuple);
    }

    private static Object get(Object tuple, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(tuple);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(component.toString(), e);
        }
    }

    /** The components as text that tells all of their values. */
    static String text(@Nullable Object value) {
        if (value == null) {
            return "null";
        } else if (value instanceof Record) {
            List<String> parts = new ArrayList<>();
            for (RecordComponent each : value.getClass().getRecordComponents()) {
                parts.add(each.getName() + "=" + text(get(value, each)));
            }
            return parts.toString();
        } else if (value instanceof List<?> list) {
            return list.stream().map(Tuples::text).toList().toString();
        } else if (value instanceof Map<?, ?> map) {
            List<String> entries = new ArrayList<>();
            map.forEach((key, each) -> entries.add(key + "=" + text(each)));
            return entries.toString();
        } else if (value instanceof FloatArray array) {
            return Arrays.toString(array.toArray());
        } else if (value instanceof DoubleArray array) {
            return Arrays.toString(array.toArray());
        } else if (value instanceof LongArray array) {
            return Arrays.toString(array.toArray());
        } else if (value instanceof IntArray array) {
            return Arrays.toString(array.toArray());
        } else if (value instanceof ByteArray array) {
            return Arrays.toString(array.toArray());
        } else if (value.getClass().isArray()) {
            List<String> items = new ArrayList<>();
            for (int i = 0; i < Array.getLength(value); i++) {
                items.add(String.valueOf(Array.get(value, i)));
            }
            return items.toString();
        }
        return value.toString();
    }

    /** What stands for a component that a peer did not send. */
    static @Nullable Object empty(RecordComponent component) {
        Class<?> type = component.getType();
        if (component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            return null;
        } else if (type == List.class) {
            return List.of();
        } else if (type == Map.class) {
            return Map.of();
        } else if (type == String.class) {
            return "";
        } else if (type.isEnum()) {
            return type.getEnumConstants()[0];
        } else if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        } else if (type.isRecord() && type != TensorId.class) {
            return of(
                    type,
                    Arrays.stream(type.getRecordComponents()).map(Tuples::empty).toArray());
        }
        return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : Elements.array(type, List.of());
    }

    /**
     * A value of the same type in another class loader, as it comes from a peer that knows less or more of it.
     *
     * @param known the peer's version: what came later in nested records is empty
     */
    static Object as(Type type, Object value, int known) {
        if (type instanceof ParameterizedType of && value instanceof Map<?, ?> map) {
            Map<Object, Object> entries = new LinkedHashMap<>();
            map.forEach((key, each) -> entries.put(key, as(of.getActualTypeArguments()[1], each, known)));
            return entries;
        } else if (type instanceof ParameterizedType list) {
            return ((List<?>) value)
                    .stream()
                            .map(each -> as(list.getActualTypeArguments()[0], each, known))
                            .toList();
        }
        Class<?> of = (Class<?>) type;
        if (of.isInstance(value) || of.isPrimitive()) {
            return value;
        } else if (value instanceof Enum<?> constant) {
            Object[] constants = of.getEnumConstants();
            return constant.ordinal() < constants.length ? constants[constant.ordinal()] : unknown(of);
        }
        @Nullable
        Object[] values = Arrays.stream(of.getRecordComponents())
                .map(each -> part(each, value, known))
                .toArray();
        return of(of, values);
    }

    private static @Nullable Object part(RecordComponent component, Object of, int known) {
        Since since = component.getAnnotation(Since.class);
        boolean isThere = Arrays.stream(of.getClass().getRecordComponents())
                .anyMatch(each -> each.getName().equals(component.getName()));
        if (!isThere || (since != null && since.value() > known)) {
            return empty(component);
        }
        @Nullable Object value = get(of, component.getName());
        return value == null ? null : as(component.getGenericType(), value, known);
    }

    /** The constant for those of newer peers. */
    private static Object unknown(Class<?> type) {
        for (Object each : type.getEnumConstants()) {
            if (isUnknown(type, String.valueOf(each))) {
                return each;
            }
        }
        throw new IllegalArgumentException(type.getName());
    }

    private static boolean isUnknown(Class<?> type, String constant) {
        try {
            return type.getField(constant).isAnnotationPresent(Unknown.class);
        } catch (NoSuchFieldException e) {
            throw new LinkageError(constant, e);
        }
    }

    /** A random value of a component, now and then null where it may be; shared arrays have n elements. */
    static @Nullable Object random(RecordComponent component, Random random, int n) {
        return component.getAnnotatedType().isAnnotationPresent(Nullable.class) && random.nextBoolean()
                ? null
                : random(component.getGenericType(), random, n);
    }

    /** A random value of a component's type; shared arrays have n elements. */
    static Object random(Type type, Random random, int n) {
        if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            Map<String, Object> values = new LinkedHashMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                values.put("\u00e4" + random.nextInt(20), random(map.getActualTypeArguments()[1], random, n));
            }
            return values;
        } else if (type instanceof ParameterizedType list) {
            List<Object> values = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                values.add(random(list.getActualTypeArguments()[0], random, n));
            }
            return values;
        }
        Class<?> of = (Class<?>) type;
        if (of.isRecord()) {
            return of(
                    of,
                    Arrays.stream(of.getRecordComponents())
                            .map(each -> random(each, random, n))
                            .toArray());
        } else if (of.isEnum()) {
            return of.getEnumConstants()[random.nextInt(of.getEnumConstants().length)];
        } else if (of.isArray()) {
            Object array = Array.newInstance(of.getComponentType(), random.nextInt(5));
            for (int i = 0; i < Array.getLength(array); i++) {
                Array.set(array, i, random(of.getComponentType(), random, n));
            }
            return array;
        } else if (of == boolean.class || of == Boolean.class) {
            return random.nextBoolean();
        } else if (of == byte.class || of == Byte.class) {
            return (byte) random.nextInt();
        } else if (of == short.class || of == Short.class) {
            return (short) random.nextInt();
        } else if (of == int.class || of == Integer.class) {
            return random.nextInt();
        } else if (of == long.class || of == Long.class) {
            return random.nextLong();
        } else if (of == float.class || of == Float.class) {
            return random.nextFloat();
        } else if (of == double.class || of == Double.class) {
            return random.nextDouble();
        } else if (of == String.class) {
            return "x?\u00e4\u2603\ufffd\ud83d\ude00".repeat(random.nextInt(3));
        } else if (of == TensorId.class) {
            return TensorId.of("tensor " + random.nextInt(9));
        } else if (of == FloatArray.class) {
            return FloatArray.wrap((float[]) filled(new float[n], random));
        } else if (of == DoubleArray.class) {
            return DoubleArray.wrap((double[]) filled(new double[n], random));
        } else if (of == LongArray.class) {
            return LongArray.wrap((long[]) filled(new long[n], random));
        } else if (of == IntArray.class) {
            return IntArray.wrap((int[]) filled(new int[n], random));
        } else if (of == ByteArray.class) {
            return ByteArray.wrap((byte[]) filled(new byte[n], random));
        }
        throw new IllegalArgumentException(type.getTypeName());
    }

    private static Object filled(Object array, Random random) {
        for (int i = 0; i < Array.getLength(array); i++) {
            Array.set(array, i, random(array.getClass().getComponentType(), random, 0));
        }
        return array;
    }
}
