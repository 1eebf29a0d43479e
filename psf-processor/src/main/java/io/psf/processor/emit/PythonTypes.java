package io.psf.processor.emit;

import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Scalar;
import io.psf.processor.model.Type;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The types of one function in Python. Nested records and the response are classes. */
final class PythonTypes {
    private final String function;
    /** The names of classes that are taken. */
    private final Set<String> names = new HashSet<>();
    /** The class of each record, by its fields. */
    private final Map<String, String> classes = new HashMap<>();

    private final StringBuilder records = new StringBuilder();

    /**
     * Creates the types of a function.
     *
     * @param function the name of its class
     */
    PythonTypes(String function) {
        this.function = function;
        names.add(function);
        names.add(function + "Response");
    }

    /** Returns the classes of all records so far. */
    String records() {
        return records.toString();
    }

    /** Returns the type of a component of a request. */
    String given(Component each) {
        return of(each.type(), each.name(), true);
    }

    /** Makes the class of the response. Returns the type that a call returns. */
    String response(FunctionModel model) {
        String own = function + "Response";
        write(
                own,
                model.response().stream()
                        .map(each -> field(each.name(), each.type()))
                        .toList());
        return model.merged() ? "_t.List[" + own + "]" : own;
    }

    private String field(String name, Type type) {
        return "    " + PythonNames.component(name) + ": " + of(type, name, false);
    }

    private String of(Type type, String name, boolean given) {
        if (type instanceof Type.Nullable nullable) {
            return "_t.Optional[" + of(nullable.of(), name, given) + "]";
        } else if (type instanceof Type.ListOf list) {
            return (given ? "_t.Sequence[" : "_t.List[") + of(list.of(), name, given) + "]";
        } else if (type instanceof Type.MapOf map) {
            return (given ? "_t.Mapping" : "_t.Dict") + "[_b.str, " + of(map.of(), name, given) + "]";
        } else if (type instanceof Type.Tuple tuple) {
            return record(
                    name,
                    tuple.parts().stream()
                            .map(part -> field(part.name(), part.type()))
                            .toList());
        } else if (type instanceof Type.Enumeration constants) {
            return constants.constants().stream()
                    .map(each -> '"' + each.name() + '"')
                    .collect(Collectors.joining(", ", "_t.Literal[", "]"));
        } else if (type instanceof Scalar scalar) {
            return scalar(scalar, given);
        } else if (type instanceof Type.Copied copied && copied.of() == Type.Items.BYTE) {
            return "_b.bytes";
        }
        return given ? "_npt.ArrayLike" : "_np.ndarray[_t.Any, _t.Any]";
    }

    private static String scalar(Scalar scalar, boolean given) {
        return switch (scalar) {
            case BOOLEAN -> "_b.bool";
            case FLOAT, DOUBLE -> "_b.float";
            case STRING -> "_b.str";
            case TENSOR -> given ? "_t.Union[_b.str, _psf.Tensor]" : "_b.str";
            default -> "_b.int";
        };
    }

    /** Returns the class of a record, which is made unless the function has one of the same fields. */
    private String record(String name, List<String> fields) {
        return classes.computeIfAbsent(String.join("\n", fields), text -> {
            String own = function + PythonNames.type(name);
            while (!names.add(own)) {
                own += "_";
            }
            write(own, fields);
            return own;
        });
    }

    private void write(String name, List<String> fields) {
        records.append(String.format(
                "\n\n@_dataclasses.dataclass(frozen=True)\nclass %s:\n%s\n",
                name, fields.isEmpty() ? "    pass" : String.join("\n", fields)));
    }
}
