#if Macros
  public import ManagedContext

  extension Attribute {
    /// Refuses a type that no attribute can have, in words.
    @available(
      *, unavailable,
      message: "the type is not AttributeConvertible; use JSONValue for values, and @Relationship for objects"
    )
    public init(_ name: String, default value: Value? = nil, isOptional: Bool = false, renamedFrom: String...)
    {
      self.init(0, name)
    }
  }

  extension ManagedObject {
    /// The value of an attribute, for the properties that ``Attribute(_:isOptional:renamedFrom:)`` makes.
    @inlinable
    public final subscript<Value: AttributeConvertible>(stored attribute: Attribute<Value>) -> Value {
      @inline(__always) get { self[attribute] }
      @inline(__always) set { self[attribute] = newValue }
    }

    /// Accepts a type that no attribute can have, so that the compiler refuses it only once, in the schema.
    public final subscript<Value>(stored attribute: Attribute<Value>) -> Value {
      get { preconditionFailure("\(Value.self) cannot be stored") }
      set { preconditionFailure("\(Value.self) cannot be stored") }
    }
  }
#endif
