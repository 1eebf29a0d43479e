package io.psf.processor.emit;

import com.palantir.javapoet.ArrayTypeName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.lang.model.element.Modifier;

/** The private constants of {@code XPsf}: the numbers of arrays and of key sets, and the values of enums. */
final class Constants {
    private static final String ARRAY = "_ARRAY";
    private static final String KEYS = "_KEYS";
    private static final String VALUES = "_VALUES";

    private final FunctionModel model;
    /** The names of the constants, by a description of their values. */
    private final Map<String, String> names = new LinkedHashMap<>();

    private final Map<String, FieldSpec> fields = new LinkedHashMap<>();

    Constants(FunctionModel model) {
        this.model = model;
    }

    /** Returns the constants that the code generated so far refers to. */
    List<FieldSpec> fields() {
        return List.copyOf(fields.values());
    }

    /** True if a constant may have this name. */
    static boolean isReserved(String name) {
        return name.endsWith(ARRAY) || name.endsWith(KEYS) || name.endsWith(VALUES);
    }

    /** Returns the constant with the number of an array of the request. */
    String array(int index) {
        Component component = model.request().get(index);
        return constant("array " + index, component.name(), ARRAY, TypeName.INT, CodeBlock.of("$L", component.index()));
    }

    /** Returns the constant with the number of a key set of the request. */
    String keys(int set) {
        String name = model.request().stream()
                .filter(each -> each.layout().keySet() == set)
                .map(Component::name)
                .findFirst()
                .orElseThrow();
        return constant("keys " + set, name, KEYS, TypeName.INT, CodeBlock.of("$L", set));
    }

    /** Returns the constant with the values of an enum, which {@code values()} would copy at each read. */
    String values(Type.Enumeration type) {
        TypeName name = Java.type(type);
        return constant(
                "values " + name,
                type.name().simpleName(),
                VALUES,
                ArrayTypeName.of(name),
                CodeBlock.of("$T.values()", name));
    }

    private String constant(String of, String name, String suffix, TypeName type, CodeBlock value) {
        return names.computeIfAbsent(of, absent -> {
            String upper = name.replaceAll("([\\p{Ll}\\d])(\\p{Lu})", "$1_$2").toUpperCase(Locale.ROOT);
            String unused = upper + suffix;
            for (int i = 2; fields.containsKey(unused); i++) {
                unused = upper + "_" + i + suffix;
            }
            fields.put(
                    unused,
                    FieldSpec.builder(type, unused, Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
                            .initializer(value)
                            .build());
            return unused;
        });
    }
}
