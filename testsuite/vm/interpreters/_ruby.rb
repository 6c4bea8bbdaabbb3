# SPDX-License-Identifier: GPL-2.0-or-later
# _ruby.rb SAMPLES: writes its own stack so often, "OUTERMOST;...;INNERMOST" as ruby_stack() has it, by caller_locations().
$left = ARGV[0].to_i
srand 12

# Functions in C, which caller_locations() gives the line of their caller.
C = %w[each map times each_with_index inject sort_by gsub loop instance_eval eval each_pair catch sort == new
       each_slice select resume instance_exec class_eval synchronize fetch upto step
       each_char flat_map group_by instance_variable_get].freeze

def stack
  caller_locations(1).reverse.map { |at| C.include?(at.label) ? at.label : "#{at.label} (#{File.basename(at.path)}:#{at.lineno})" }.join(';')
end

def leaf
  return if $left <= 0

  $left -= 1
  $stdout.syswrite("#{stack};syswrite")
end

def deep(count)
  count.zero? ? leaf : deep(count - 1)
end

def a_method_with_a_name_that_is_longer_than_what_a_string_keeps_in_itself
  leaf
end

def größer
  yield
end

class Shop
  include Comparable
  attr_reader :size

  leaf

  def initialize(size)
    @size = size
    leaf
  end

  def <=>(other)
    leaf
    size <=> other.size
  end

  def +(other)
    leaf
    Shop
  end

  def self.build
    new(3)
  end

  def method_missing(name, *)
    name == :unknown ? leaf : super
  end

  def respond_to_missing?(name, all = false)
    name == :unknown || super
  end

  define_method(:defined_by_block) { leaf }
end

module Loud
  def speak
    leaf
    super
  end
end

class Animal
  prepend Loud

  def speak
    leaf
  end
end

def guarded
  begin
    raise ArgumentError
  rescue ArgumentError
    leaf
  ensure
    leaf
  end
end

def long_one(what)
  case what
  when 0 then 1
  when 1
    2
  else
    x = [1, 2, 3,
         4, 5, 6]
    y = x.map do |n|
      if n > 100
        n * 3
      elsif n > 200
        n * 4
      else
        n + 1
      end
    end
    z = { one: 1, two: 2,
          three: 3 }
    z.each_pair do |key, value|
      next if key == :one

      leaf if value > 1
    end
    y.sum
    leaf
  end
end

SHAPES = [
  -> { leaf },
  -> { deep(rand(60)) },
  -> { [1, 2].each { leaf } },
  -> { 2.times { |i| deep(i) } },
  -> { [3, 1].map { |i| [i].each_with_index { leaf } } },
  -> { [1, 2, 3].inject { |a, b| leaf; a + b } },
  -> { [3, 1, 2].sort_by { |i| leaf; i } },
  -> { 'abc'.gsub(/b/) { leaf; 'x' } },
  -> { loop { leaf; break } },
  -> { größer { leaf } },
  -> { a_method_with_a_name_that_is_longer_than_what_a_string_keeps_in_itself },
  -> { Shop.build },
  -> { [Shop.new(2), Shop.new(1)].sort },
  -> { Shop.new(1) + 1 },
  -> { Shop.new(1).unknown },
  -> { Shop.new(1).defined_by_block },
  -> { Animal.new.speak },
  -> { guarded },
  -> { long_one(7) },
  -> { Fiber.new { deep(3) }.resume },
  -> { Thread.new { deep(2); größer { leaf } }.join },
  -> { eval("\n\nleaf") },
  -> { 1.instance_eval { leaf } },
  -> { catch(:out) { leaf; throw :out } },
  -> { { a: 1 }.each { |_, value| value.tap { leaf } } },
].freeze

SHAPES.sample.call while $left > 0
