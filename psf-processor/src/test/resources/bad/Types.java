package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction("bad.types")
public interface Types {
  record Tree(List<Tree> children) {} // ERROR [PsfType]

  record Box<T>(T value) {}

  record Empty() {}

  record Nested(Empty empty) {}

  enum None {}

  record Deep(
      Map<String, String> map, // ERROR [PsfType]
      FloatArray shared) {} // ERROR [PsfType]

  record Request(
      TensorId tensor,
      Float boxed, // ERROR [PsfType]
      char letter, // ERROR [PsfType]
      List<Float> list, // ERROR [PsfType]
      List<String> texts, // ERROR [PsfType]
      List<?> any, // ERROR [PsfType]
      float[][] matrix, // ERROR [PsfType]
      boolean[] flags, // ERROR [PsfType]
      String[] words, // ERROR [PsfType]
      Object object, // ERROR [PsfType]
      Map<String, Integer> map, // ERROR [PsfType]
      Tree tree,
      Box<String> box, // ERROR [PsfType]
      List<Empty> empties, // ERROR [PsfType]
      Deep deep,
      Deep twice,
      List<Nested> nested, // ERROR [PsfType]
      None none, // ERROR [PsfType]
      Optional<String> maybe) {} // ERROR [PsfType]

  record Response(java.time.Duration took) {} // ERROR [PsfType]

  Response handle(Request slice, Shard shard);
}
