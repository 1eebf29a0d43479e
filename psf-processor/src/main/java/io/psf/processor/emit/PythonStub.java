package io.psf.processor.emit;

import io.psf.processor.model.Component;
import io.psf.processor.model.FunctionModel;
import io.psf.processor.model.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The module of Python for one function: its records, its response, and a class that calls it. */
final class PythonStub {
    private final FunctionModel model;
    private final String word;
    private final String rest;
    private final PythonTypes types;

    PythonStub(FunctionModel model) {
        this.model = model;
        int dot = model.name().indexOf('.');
        this.word = dot < 0 ? model.name() : model.name().substring(0, dot);
        this.rest = model.name().substring(dot + 1);
        this.types = new PythonTypes(PythonNames.type(rest));
    }

    /** Returns the name of the package: the first word of the function's name. */
    String folder() {
        return PythonNames.module(word, "_functions");
    }

    String module() {
        return PythonNames.module(rest, "_");
    }

    String packageText() {
        return String.format("\"\"\"Functions %s.*, written from their schemas.\"\"\"\n", word);
    }

    String text() {
        List<String> arguments = model.request().stream()
                .map(this::argument)
                .sorted(Comparator.comparing(each -> each.contains("="))) // those with a default come last
                .toList();
        String response = types.response(model);
        List<String> schemas = model.schemas();
        return String.format(
                """
                \"""The function %1$s, written from its schema.\"""

                from __future__ import annotations

                import builtins as _b
                import dataclasses as _dataclasses
                import typing as _t

                import numpy as _np
                import numpy.typing as _npt

                import psf as _psf
                %2$s

                class %3$s:
                    \"""%4$s\"""

                    def __init__(self, cluster: _t.Any) -> None:
                        self.function: _psf.Caller = cluster.function("%1$s")

                    def __call__(%5$s) -> %6$s:
                        _values: _t.Dict[str, _t.Any] = %7$s
                        return _t.cast("%6$s", self.function(**_values))

                    def start(%5$s) -> _psf.Pending[%6$s]:
                        _values: _t.Dict[str, _t.Any] = %7$s
                        return self.function.start(**_values)
                """,
                model.name(),
                types.records(),
                PythonNames.type(rest),
                schemas.get(schemas.size() - 1).replace("\\", "\\\\"),
                Stream.concat(Stream.of(arguments.isEmpty() ? "self" : "self, *"), arguments.stream())
                        .collect(Collectors.joining(", ")),
                response,
                values());
    }

    private String argument(Component each) {
        String name = PythonNames.component(each.name()) + ": ";
        String type = types.given(each);
        if (each.type() instanceof Type.Nullable) {
            return name + type + " = None";
        }
        return name + (each.since() > 1 ? "_t.Optional[" + type + "] = None" : type);
    }

    /** Returns the expression of a call's arguments: those that later versions have added may be left out. */
    private String values() {
        List<String> later = new ArrayList<>();
        List<String> named = new ArrayList<>();
        for (Component each : model.request()) {
            String name = PythonNames.component(each.name());
            named.add(name + "=" + name);
            if (each.since() > 1 && !(each.type() instanceof Type.Nullable)) {
                later.add('"' + name + '"');
            }
        }
        String all = "dict(" + String.join(", ", named) + ")";
        return later.isEmpty()
                ? all
                : "{name: value for name, value in " + all + ".items() if value is not None or name not in " + later
                        + "}";
    }
}
