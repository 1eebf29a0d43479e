package io.psf.processor.emit;

import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeName;
import io.psf.processor.model.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.lang.model.element.Modifier;

/** The private methods of one generated class that write and read nested records, lists and maps. */
final class ValueMethods {
    private final Map<String, MethodSpec> methods = new LinkedHashMap<>();
    private final Map<String, String> names = new LinkedHashMap<>();

    /** Returns the methods in the order in which they were completed. */
    List<MethodSpec> all() {
        return List.copyOf(methods.values());
    }

    /**
     * Returns the name of a type's method, and adds the method if it is new.
     *
     * @param verb the beginning of the name
     * @param base the version that added the value
     * @param body adds the parameters and the body, for which it may add other methods
     */
    String method(String verb, Type type, int base, UnaryOperator<MethodSpec.Builder> body) {
        String name = verb + suffix(type, base);
        if (!methods.containsKey(name)) {
            MethodSpec.Builder method = MethodSpec.methodBuilder(name).addModifiers(Modifier.PRIVATE, Modifier.STATIC);
            methods.put(name, body.apply(method).build());
        }
        return name;
    }

    /**
     * Returns the stream of a component of a nested record: the stream of the record, or of a later version's section.
     */
    static CodeBlock stream(String name, Type.Part part, int base) {
        return part.isLater(base) ? CodeBlock.of("$L.since($L)", name, part.since()) : CodeBlock.of(name);
    }

    /**
     * Returns the suffix of the names of a type's methods. It is the type's simple name. If some components are in
     * sections, the version up to which components are written in place follows. If another type has the same suffix, a
     * number follows.
     */
    private String suffix(Type type, int base) {
        TypeName name = Java.type(type).box();
        String simple = name instanceof ClassName of ? of.simpleName() : name.toString();
        int from = type.sections(1).filter(each -> each <= base).max().orElse(1);
        String wanted = simple + (from == 1 ? "" : "From" + from);
        return names.computeIfAbsent(name + " " + from, each -> {
            String unused = wanted;
            for (int i = 2; names.containsValue(unused); i++) {
                unused = wanted + i;
            }
            return unused;
        });
    }
}
