package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.lang.annotation.Target;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.nulls")
public interface Nulls {
  /** One of declarations, not of types. */
  @Target({
    java.lang.annotation.ElementType.FIELD,
    java.lang.annotation.ElementType.METHOD,
    java.lang.annotation.ElementType.PARAMETER
  })
  @interface Nullable {}

  record Point(float x, @Nullable double y) {} // ERROR [PsfNullable]

  record Row(int id) {}

  record Request( // ERROR [PsfTarget]
      @org.jspecify.annotations.Nullable TensorId first,
      @Nullable int scalar, // ERROR [PsfNullable]
      @org.jspecify.annotations.Nullable float[] elements, // ERROR [PsfNullable]
      @Nullable float[] fine,
      List<@org.jspecify.annotations.Nullable Point> rows, // ERROR [PsfNullable]
      List<@org.jspecify.annotations.Nullable String> words, // ERROR [PsfNullable]
      Map<String, @org.jspecify.annotations.Nullable Integer> counts, // ERROR [PsfNullable]
      Map<@org.jspecify.annotations.Nullable String, Integer> keyless, // ERROR [PsfNullable]
      Point point,
      @org.jspecify.annotations.Nullable Float boxed, // ERROR [PsfType]
      @ByKey @Nullable LongArray keys, // ERROR [PsfNullable]
      @Along("keys") @Nullable FloatArray values, // ERROR [PsfNullable]
      @ByRange @org.jspecify.annotations.Nullable FloatArray x) {} // ERROR [PsfNullable]

  record Response(
      @Reduce(Reduction.SUM) @Nullable FloatArray sums, // ERROR [PsfNullable]
      @Nullable List<Row> list, // ERROR [PsfNullable]
      @Nullable List<String> words, // ERROR [PsfNullable]
      @Nullable Map<String, Integer> map, // ERROR [PsfNullable]
      @Reduce(Reduction.SUM) @Nullable Map<String, Integer> counts, // ERROR [PsfNullable]
      List<Row> fine,
      @Nullable String text) {} // ERROR [PsfResponseLayout]

  Response handle(Request slice, Shard shard);
}
