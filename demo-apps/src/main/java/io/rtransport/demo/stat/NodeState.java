package io.rtransport.demo.stat;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.core.json.Json;
import io.rtransport.core.json.JsonException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An object of a node's answer, or a part of it. A key that is missing or of another kind ends the
 * command with one line: the node is of another version, or no node. Immutable.
 */
public final class NodeState {
  private final Map<String, Object> values;

  private NodeState(Map<String, Object> values) {
    this.values = values;
  }

  /**
   * Reads an answer.
   *
   * @throws CommandFailure if it is not a JSON object
   */
  public static NodeState parse(String json) {
    try {
      return of(Json.parse(json), "answer");
    } catch (JsonException e) {
      throw new CommandFailure("what answers there is no node: " + e.getMessage());
    }
  }

  private static NodeState of(Object value, String key) {
    if (!(value instanceof Map<?, ?> map)) {
      throw wrong(key);
    }
    Map<String, Object> values = new LinkedHashMap<>();
    map.forEach((name, each) -> values.put((String) name, each));
    return new NodeState(values);
  }

  private static CommandFailure wrong(String key) {
    return new CommandFailure("the node answers as another version does: no " + key);
  }

  /** Returns an integer. */
  public long number(String key) {
    if (values.get(key) instanceof Long number) {
      return number;
    }
    throw wrong(key);
  }

  /** Returns a number, or null if the node says that there is none. */
  public Double decimalOrNull(String key) {
    Object value = values.get(key);
    if (value == null && values.containsKey(key)) {
      return null;
    }
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    throw wrong(key);
  }

  /** Returns a truth value. */
  public boolean flag(String key) {
    if (values.get(key) instanceof Boolean flag) {
      return flag;
    }
    throw wrong(key);
  }

  /** Returns a text that a terminal can show: on one line and without control characters. */
  public String text(String key) {
    if (values.get(key) instanceof String text) {
      return CommandErrors.oneLine(text);
    }
    throw wrong(key);
  }

  /** Returns an object. */
  public NodeState object(String key) {
    return of(values.get(key), key);
  }

  /** Returns a list of objects. */
  public List<NodeState> list(String key) {
    if (!(values.get(key) instanceof List<?> all)) {
      throw wrong(key);
    }
    List<NodeState> list = new ArrayList<>();
    all.forEach(each -> list.add(of(each, key)));
    return list;
  }

  /** Returns a list of texts, each as {@link #text} does. */
  public List<String> texts(String key) {
    if (!(values.get(key) instanceof List<?> all)) {
      throw wrong(key);
    }
    return all.stream().map(each -> CommandErrors.oneLine(String.valueOf(each))).toList();
  }

  /** Returns the keys in their order. */
  public List<String> keys() {
    return values.keySet().stream().map(CommandErrors::oneLine).toList();
  }

  /** Returns it with another value of one key. */
  NodeState with(String key, Object value) {
    Map<String, Object> changed = new LinkedHashMap<>(values);
    changed.put(key, value);
    return new NodeState(changed);
  }

  /** Returns it as a JSON value. */
  public Map<String, Object> json() {
    return values;
  }
}
